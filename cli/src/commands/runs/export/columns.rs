//! Rows of numbers as a Parquet file: some columns of whole numbers, the rest of floating-point ones, none
//! of which is ever missing. Compressed by Snappy, which every reader knows.

use anyhow::{Context, ensure};
use parquet::basic::{Compression, Repetition, Type as PhysicalType};
use parquet::data_type::{DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use std::fs::File;
use std::io::BufWriter;
use std::sync::Arc;

/// Cells that are held until they are written as a row group.
const HELD_CELLS: usize = 1 << 20;

/// A file that is being written.
pub(super) struct ColumnFile {
    writer: SerializedFileWriter<BufWriter<File>>,
    counts: Vec<Vec<i64>>,
    values: Vec<Vec<f64>>,
}

impl ColumnFile {
    /// Columns of these names; the first `counts` of them hold whole numbers.
    ///
    /// # Errors
    /// As the disk says.
    pub(super) fn begin(
        file: BufWriter<File>,
        names: &[&str],
        counts: usize,
    ) -> anyhow::Result<Self> {
        let column = |(place, name): (usize, &&str)| {
            let kind = if place < counts { PhysicalType::INT64 } else { PhysicalType::DOUBLE };
            let column = Type::primitive_type_builder(name, kind);
            Ok(Arc::new(column.with_repetition(Repetition::REQUIRED).build()?))
        };
        let columns = names.iter().enumerate().map(column);
        let columns = columns.collect::<Result<Vec<_>, ParquetError>>().context("Parquet")?;
        let schema = Type::group_type_builder("way").with_fields(columns).build();
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let schema = Arc::new(schema.context("Parquet")?);
        let writer = SerializedFileWriter::new(file, schema, Arc::new(properties));
        Ok(Self {
            writer: writer.context("Parquet")?,
            counts: vec![Vec::new(); counts],
            values: vec![Vec::new(); names.len().saturating_sub(counts)],
        })
    }

    /// Adds a row.
    ///
    /// # Errors
    /// It has more or fewer cells than the file has columns, or as the disk says.
    pub(super) fn add(
        &mut self,
        counts: &[i64],
        values: impl Iterator<Item = f64>,
    ) -> anyhow::Result<()> {
        let values: Vec<f64> = values.collect();
        let (found, allowed) = (counts.len() + values.len(), self.counts.len() + self.values.len());
        ensure!(
            counts.len() == self.counts.len() && found == allowed,
            "the coordinator sent a row of {found} cells; allowed: {allowed}"
        );
        self.counts.iter_mut().zip(counts).for_each(|(column, &cell)| column.push(cell));
        self.values.iter_mut().zip(values).for_each(|(column, cell)| column.push(cell));
        let rows = self.counts.first().map_or(0, Vec::len);
        if rows * allowed >= HELD_CELLS {
            self.write_group().context("Parquet")?;
        }
        Ok(())
    }

    /// Writes what is held and the end of the file.
    ///
    /// # Errors
    /// As the disk says.
    pub(super) fn finish(mut self) -> anyhow::Result<()> {
        if self.counts.first().is_some_and(|column| !column.is_empty()) {
            self.write_group().context("Parquet")?;
        }
        // Closing writes the end and flushes.
        self.writer.close().context("Parquet")?;
        Ok(())
    }

    fn write_group(&mut self) -> Result<(), ParquetError> {
        let mut group = self.writer.next_row_group()?;
        for column in &mut self.counts {
            if let Some(mut out) = group.next_column()? {
                out.typed::<Int64Type>().write_batch(column, None, None)?;
                out.close()?;
            }
            column.clear();
        }
        for column in &mut self.values {
            if let Some(mut out) = group.next_column()? {
                out.typed::<DoubleType>().write_batch(column, None, None)?;
                out.close()?;
            }
            column.clear();
        }
        group.close()?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;

    fn read(path: &std::path::Path) -> Vec<Vec<Field>> {
        let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
        let rows = reader.get_row_iter(None).unwrap();
        rows.map(|row| row.unwrap().into_columns().into_iter().map(|(_, cell)| cell).collect())
            .collect()
    }

    #[test]
    fn rows_come_back_to_the_bit_also_from_several_groups() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("way.parquet");
        let mut file = begin(&path);
        let rows = HELD_CELLS / 3 + 10;
        let value = |row: i64| (row as f64).sqrt() - 0.1;
        for row in 0..rows as i64 {
            file.add(&[row, -row], [value(row)].into_iter()).unwrap();
        }
        file.finish().unwrap();
        let back = read(&path);
        assert_eq!(back.len(), rows);
        for (row, cells) in (0..).zip(back) {
            assert_eq!(cells, [Field::Long(row), Field::Long(-row), Field::Double(value(row))]);
        }
    }

    #[test]
    fn a_row_that_does_not_fit_is_refused_and_none_is_a_file_too() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("way.parquet");
        let mut file = begin(&path);
        let error = file.add(&[1, 2], [].into_iter()).unwrap_err().to_string();
        assert!(error.contains("2 cells; allowed: 3"), "{error}");
        file.finish().unwrap();
        assert!(read(&path).is_empty());
    }

    fn begin(path: &std::path::Path) -> ColumnFile {
        let file = BufWriter::new(File::create(path).unwrap());
        ColumnFile::begin(file, &["a", "b", "c"], 2).unwrap()
    }
}
