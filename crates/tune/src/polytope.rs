//! The linear constraints of a tune as geometry: the nearest point inside, the room for a probe, and
//! whole numbers that keep to them.
//!
//! A probe needs room on either side of its middle. As near a bound of the box, the middle moves
//! inwards, here to the nearest point of the constraints drawn in by what the probe can reach,
//! `Σ |factor| c`, whichever way its signs fall: the middle does not depend on the signs, so slopes are
//! measured without bias, at a point that lies a little inside. Where the room is too narrow for that,
//! the probe shrinks, all parameters of the constraints alike.
//!
//! Whole numbers that hang together are rounded by one common random number u, or by 1 − u: of two whole
//! numbers whose difference, or sum, is bound by a whole number the rounded ones keep to the bound by
//! themselves. Before any other constraint the middle stays so far away that rounding cannot pass it.
//!
//! Nearest points are found by C. Hildreth's method ("A quadratic programming procedure", 1957), with
//! nothing but + − × ÷, in a fixed order.

use model::{Finding, LinearConstraint, ParameterDef};

/// Rounds of the search for a nearest point.
const ROUNDS: usize = 400;
/// A sum this much above its bound, relative to its terms, is rounding.
const TOLERANCE: f64 = 1e-9;
/// The least room that a probe needs, in `c_end`, and the most that is looked for.
const LEAST_ROOM: f64 = 1.0 / 64.0;
const MOST_ROOM: f64 = 4.0;

#[derive(Clone, Debug, PartialEq)]
struct Row {
    terms: Vec<(usize, f64)>,
    at_most: f64,
    /// By how much rounding may raise the sum.
    rounding: f64,
}

impl Row {
    fn sum(&self, point: &[f64]) -> f64 {
        self.terms.iter().map(|&(index, factor)| factor * point[index]).sum()
    }

    fn excess(&self, point: &[f64]) -> f64 {
        self.excess_of(point, self.at_most)
    }

    /// By how much the sum is above a bound; 0 if it is not, but for rounding.
    fn excess_of(&self, point: &[f64], bound: f64) -> f64 {
        let terms: f64 = self.terms.iter().map(|&(i, factor)| (factor * point[i]).abs()).sum();
        let excess = self.sum(point) - bound;
        if excess <= TOLERANCE * (1.0 + terms + bound.abs()) { 0.0 } else { excess }
    }
}

/// Constraints over a list of parameters.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Polytope {
    rows: Vec<Row>,
    /// Parameters that take part in any, growing.
    involved: Vec<usize>,
    /// For each of those the first of the parameters with which it hangs together.
    leaders: Vec<usize>,
    /// Whether it is rounded the other way round than that one.
    mirrored: Vec<bool>,
    /// A point with room around it.
    inner: Vec<f64>,
    /// How much room, in `c_end`.
    room: f64,
    /// A playable point that keeps to all of them: the rounded start.
    home: Vec<f64>,
}

impl Polytope {
    /// The constraints as geometry. The parameters have passed their own checks.
    ///
    /// # Errors
    /// A name without parameter; too little room for a probe; no whole point at the start.
    pub(crate) fn new(
        parameters: &[ParameterDef],
        constraints: &[LinearConstraint],
    ) -> Result<Self, Vec<Finding>> {
        if constraints.is_empty() {
            return Ok(Self::default());
        }
        let mut rows = Vec::new();
        for (place, constraint) in constraints.iter().enumerate() {
            let mut terms = Vec::new();
            for (name, &factor) in &constraint.sum.0 {
                match parameters.iter().position(|p| p.name == *name) {
                    Some(index) => terms.push((index, factor)),
                    None => {
                        return Err(vec![Finding::new(
                            format!("constraint[{place}].sum"),
                            format!("`{}`", model::printable(name, 40)),
                            "names of parameters that move",
                            "take it out of the sum",
                        )]);
                    }
                }
            }
            rows.push(Row { terms, at_most: constraint.at_most, rounding: 0.0 });
        }
        let (involved, leaders) = groups(parameters.len(), &rows);
        let mirrored = mirrored(parameters, &rows);
        for row in &mut rows {
            row.rounding = rounding(parameters, row, &mirrored);
        }
        let mirrored = involved.iter().map(|&index| mirrored[index]).collect();
        let start: Vec<f64> = parameters.iter().map(|p| p.start).collect();
        let mut polytope = Self {
            rows,
            involved,
            leaders,
            mirrored,
            inner: start.clone(),
            room: 0.0,
            home: start.clone(),
        };
        if !polytope.find_room(parameters, &start) {
            // Too narrow for whole numbers to stay away: they are put right one by one.
            polytope.rows.iter_mut().for_each(|row| row.rounding = 0.0);
            if !polytope.find_room(parameters, &start) {
                return Err(vec![Finding::new(
                    "constraint",
                    "too little room between them and the ranges for any probe",
                    "room for a 64th of c_end to every side of some point",
                    "widen the ranges, or loosen the constraints: equal parameters are one parameter",
                )]);
            }
        }
        polytope.find_home(parameters, &start)?;
        Ok(polytope)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Whether any constraint names the parameter.
    pub(crate) fn involves(&self, index: usize) -> bool {
        self.involved.binary_search(&index).is_ok()
    }

    /// The number by which a parameter is rounded, of those that were drawn for all of them.
    pub(crate) fn uniform(&self, index: usize, drawn: &[f64]) -> f64 {
        match self.involved.binary_search(&index) {
            Ok(place) if self.mirrored[place] => 1.0 - drawn[self.leaders[place]],
            Ok(place) => drawn[self.leaders[place]],
            Err(_) => drawn[index],
        }
    }

    /// Whether a point keeps to all constraints, but for rounding.
    pub(crate) fn holds(&self, point: &[f64]) -> bool {
        self.rows.iter().all(|row| row.excess(point) == 0.0)
    }

    /// Moves a point of the box to the nearest one that keeps to the constraints; distances weigh as
    /// `weight`, in units of `c_end`.
    pub(crate) fn project(
        &self,
        parameters: &[ParameterDef],
        point: &mut [f64],
        weight: impl Fn(usize) -> f64,
    ) {
        if !self.holds(point) {
            let bounds: Vec<f64> = self.rows.iter().map(|row| row.at_most).collect();
            self.nearest(parameters, point, &bounds, &|_| 0.0, &weight);
        }
    }

    /// Moves the middle of a probe inwards and, where there is no room, shrinks its half widths `c`.
    pub(crate) fn make_room(&self, parameters: &[ParameterDef], middle: &mut [f64], c: &mut [f64]) {
        let widest = self
            .involved
            .iter()
            .map(|&index| c[index] / parameters[index].c_end)
            .fold(0.0, f64::max);
        if widest > self.room {
            for &index in &self.involved {
                c[index] *= self.room / widest;
            }
        }
        let reach = |index: usize| c[index];
        self.nearest(parameters, middle, &self.drawn_in(&reach), &reach, &|_| 1.0);
    }

    /// The nearest point below these bounds, with `reach` to the ends of the ranges; distances weigh as
    /// `weight`. At the inner point there is such room.
    fn nearest(
        &self,
        parameters: &[ParameterDef],
        point: &mut [f64],
        bounds: &[f64],
        reach: &dyn Fn(usize) -> f64,
        weight: &dyn Fn(usize) -> f64,
    ) {
        let found = self.hildreth(parameters, point, bounds, reach, weight);
        for (&index, value) in self.involved.iter().zip(&found) {
            let p = &parameters[index];
            point[index] = value.clamp(p.min, p.max);
        }
        // What the rounds have left undone is done on the way to the inner point.
        let share = self
            .rows
            .iter()
            .zip(bounds)
            .map(|(row, bound)| {
                let excess = row.excess_of(point, *bound);
                let slack = (bound - row.sum(&self.inner)).max(0.0);
                if excess > 0.0 { excess / (excess + slack) } else { 0.0 }
            })
            .fold(0.0, f64::max);
        if share > 0.0 {
            for &index in &self.involved {
                point[index] += share * (self.inner[index] - point[index]);
            }
        }
    }

    /// The bounds of the rows with `reach`, and what rounding may do, taken off.
    fn drawn_in(&self, reach: &dyn Fn(usize) -> f64) -> Vec<f64> {
        let off = |row: &Row| row.terms.iter().map(|&(i, f)| f.abs() * reach(i)).sum::<f64>();
        self.rows.iter().map(|row| row.at_most - row.rounding - off(row)).collect()
    }

    /// The involved coordinates of the nearest point, nearly.
    fn hildreth(
        &self,
        parameters: &[ParameterDef],
        point: &[f64],
        bounds: &[f64],
        reach: &dyn Fn(usize) -> f64,
        weight: &dyn Fn(usize) -> f64,
    ) -> Vec<f64> {
        let place = |index: usize| self.involved.binary_search(&index).unwrap_or(0);
        // In units of c_end, stretched by the root of the weight, distances are plain.
        let unit: Vec<f64> = self
            .involved
            .iter()
            .map(|&i| parameters[i].c_end / weight(i).max(1e-12).sqrt())
            .collect();
        let rows: Vec<Vec<(usize, f64)>> = self
            .rows
            .iter()
            .map(|row| row.terms.iter().map(|&(i, f)| (place(i), f * unit[place(i)])).collect())
            .collect();
        let mut x: Vec<f64> =
            self.involved.iter().zip(&unit).map(|(&i, unit)| point[i] / unit).collect();
        let edges: Vec<(f64, f64)> = self
            .involved
            .iter()
            .zip(&unit)
            .map(|(&i, unit)| {
                let (low, high) = (parameters[i].min + reach(i), parameters[i].max - reach(i));
                // A probe from end to end leaves one middle.
                let middle = 0.5 * (low + high);
                (low.min(middle) / unit, high.max(middle) / unit)
            })
            .collect();
        let mut duals = vec![0.0; rows.len()];
        let mut edge_duals = vec![0.0; x.len()];
        for _ in 0..ROUNDS {
            let mut change = 0.0_f64;
            for ((row, bound), dual) in rows.iter().zip(bounds).zip(&mut duals) {
                let norm: f64 = row.iter().map(|(_, f)| f * f).sum();
                let sum: f64 = row.iter().map(|&(i, f)| f * x[i]).sum();
                let next = (*dual + (sum - bound) / norm).max(0.0);
                let by = next - *dual;
                *dual = next;
                for &(i, f) in row {
                    x[i] -= f * by;
                }
                change = change.max(by.abs() * norm.sqrt());
            }
            for ((x, &(low, high)), dual) in x.iter_mut().zip(&edges).zip(&mut edge_duals) {
                // Above the upper edge the dual is positive, below the lower one negative.
                let free = *x + *dual;
                let held = free.max(low).min(high);
                change = change.max((held - *x).abs());
                *dual = free - held;
                *x = held;
            }
            if change < 1e-12 {
                break;
            }
        }
        x.iter().zip(&unit).map(|(x, unit)| x * unit).collect()
    }

    /// Finds a point with as much room as there is, by halving. Whether there is any.
    fn find_room(&mut self, parameters: &[ParameterDef], start: &[f64]) -> bool {
        let mut room = MOST_ROOM;
        while room >= LEAST_ROOM {
            let reach = |index: usize| room * parameters[index].c_end;
            let inside = |p: &ParameterDef| 2.0 * room * p.c_end <= p.max - p.min;
            let bounds = self.drawn_in(&reach);
            let found = self.hildreth(parameters, start, &bounds, &reach, &|_| 1.0);
            let mut point = start.to_vec();
            for (&index, value) in self.involved.iter().zip(found) {
                point[index] = value;
            }
            let holds = self
                .rows
                .iter()
                .zip(&bounds)
                .all(|(row, bound)| row.excess_of(&point, *bound) == 0.0);
            if holds && self.involved.iter().all(|&i| inside(&parameters[i])) {
                (self.inner, self.room) = (point, room);
                return true;
            }
            room *= 0.5;
        }
        false
    }

    /// Finds a whole point at the start.
    fn find_home(
        &mut self,
        parameters: &[ParameterDef],
        start: &[f64],
    ) -> Result<(), Vec<Finding>> {
        let mut home = rounded(parameters, start);
        if self.step_inside(parameters, start, &mut home) {
            self.home = home;
            return Ok(());
        }
        Err(vec![Finding::new(
            "constraint",
            "no whole numbers about the start that keep to all of them",
            "a start that is playable",
            "start at whole numbers that keep to the constraints",
        )])
    }

    /// Makes a rounded point keep to the constraints, `raw` being what was rounded.
    pub(crate) fn repair(&self, parameters: &[ParameterDef], raw: &[f64], point: &mut [f64]) {
        if self.holds(point) || self.step_inside(parameters, raw, point) {
            return;
        }
        for share in 1..=16 {
            let share = f64::from(share) / 16.0;
            for &index in &self.involved {
                let p = &parameters[index];
                let at = raw[index] + share * (self.home[index] - raw[index]);
                point[index] = if share == 1.0 { self.home[index] } else { nearest_value(p, at) };
            }
            if self.holds(point) {
                return;
            }
        }
    }

    /// Takes back what rounding has put over a bound, step by step: first from real numbers, then
    /// from the whole ones that were rounded farthest the wrong way. Whether that was enough.
    fn step_inside(&self, parameters: &[ParameterDef], raw: &[f64], point: &mut [f64]) -> bool {
        for _ in 0..16 * self.rows.len() + 16 * self.involved.len() {
            let Some(row) = self.rows.iter().find(|row| row.excess(point) > 0.0) else {
                return true;
            };
            let excess = row.sum(point) - row.at_most;
            let room = |&(index, factor): &(usize, f64)| {
                let p = &parameters[index];
                if factor > 0.0 { point[index] > p.min } else { point[index] < p.max }
            };
            let surplus = |&(index, factor): &(usize, f64)| factor * (point[index] - raw[index]);
            let real = |term: &&(usize, f64)| !parameters[term.0].kind.is_whole() && room(term);
            let whole = |term: &&(usize, f64)| parameters[term.0].kind.is_whole() && room(term);
            let next = row.terms.iter().find(real).or_else(|| {
                let wholes = row.terms.iter().filter(whole);
                wholes.max_by(|a, b| surplus(a).total_cmp(&surplus(b)))
            });
            let Some(&(index, factor)) = next else { return false };
            let p = &parameters[index];
            let by = if p.kind.is_whole() { factor.signum() } else { excess / factor };
            point[index] = (point[index] - by).clamp(p.min, p.max);
        }
        self.holds(point)
    }
}

/// Which parameters are rounded the other way round than others: of two whole numbers in a sum of two,
/// factors of the same sign ask for that, as far as all sums can agree.
fn mirrored(parameters: &[ParameterDef], rows: &[Row]) -> Vec<bool> {
    let mut mirrored: Vec<Option<bool>> = vec![None; parameters.len()];
    for _ in rows {
        for row in rows {
            let [(a, p), (b, q)] = row.terms[..] else { continue };
            let other = |side: bool| side ^ (p * q > 0.0);
            match (mirrored[a], mirrored[b]) {
                (Some(side), None) => mirrored[b] = Some(other(side)),
                (None, Some(side)) => mirrored[a] = Some(other(side)),
                (None, None) => (mirrored[a], mirrored[b]) = (Some(false), Some(other(false))),
                (Some(_), Some(_)) => {}
            }
        }
    }
    mirrored.into_iter().map(|side| side.unwrap_or(false)).collect()
}

/// By how much rounding may raise the sum of a row.
fn rounding(parameters: &[ParameterDef], row: &Row, mirrored: &[bool]) -> f64 {
    let is_whole = |index: usize| parameters[index].kind.is_whole();
    if let [(a, p), (b, q)] = row.terms[..]
        && is_whole(a)
        && is_whole(b)
        && p.abs() == q.abs()
        && (row.at_most / p).fract() == 0.0
        && (mirrored[a] ^ mirrored[b]) == (p * q > 0.0)
    {
        return 0.0;
    }
    row.terms.iter().filter(|(index, _)| is_whole(*index)).map(|(_, factor)| factor.abs()).sum()
}

/// The nearest value that a parameter takes.
pub(crate) fn nearest_value(parameter: &ParameterDef, value: f64) -> f64 {
    let value = if parameter.kind.is_whole() { value.round() } else { value };
    value.clamp(parameter.min, parameter.max)
}

fn rounded(parameters: &[ParameterDef], point: &[f64]) -> Vec<f64> {
    parameters.iter().zip(point).map(|(p, value)| nearest_value(p, *value)).collect()
}

/// The parameters of the rows, and for each the first with which it hangs together.
fn groups(count: usize, rows: &[Row]) -> (Vec<usize>, Vec<usize>) {
    let mut leader: Vec<usize> = (0..count).collect();
    // As often as there are rows: by then every row has one leader.
    for _ in rows {
        for row in rows {
            let least = row.terms.iter().map(|&(i, _)| leader[i]).min().unwrap_or(0);
            for &(index, _) in &row.terms {
                leader[index] = least;
            }
        }
    }
    let mut involved: Vec<usize> =
        rows.iter().flat_map(|row| row.terms.iter().map(|&(i, _)| i)).collect();
    involved.sort_unstable();
    involved.dedup();
    let leaders = involved.iter().map(|&index| leader[index]).collect();
    (involved, leaders)
}
