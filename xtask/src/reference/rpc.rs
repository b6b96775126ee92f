//! The contract on the wire as a page: services, messages and enums with their comments, from the
//! descriptors that gRPC reflection shows, too.

use anyhow::Context;
use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{
    DescriptorProto, EnumDescriptorProto, FieldDescriptorProto, FileDescriptorProto,
    ServiceDescriptorProto,
};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

const HEAD: &str = "# RPC\n\n\
    Made from `proto/elomill/v1/*.proto` by `cargo xtask reference`. The coordinator serves this as gRPC \
    over TLS 1.3 on its one port, to keys that it knows ([which role may do what](../cluster.md#roles)); \
    reflection shows the same to tools, and `grpc.health.v1` answers everybody. Fields are added and never \
    renumbered or reused.\n";

/// The files, in the order in which they are read best.
const FILES: [&str; 6] = ["control", "keys", "engines", "trust", "worker", "common"];

// The numbers of fields in `descriptor.proto`, of which paths of comments are made.
const SYNTAX: i32 = 12;
const MESSAGES: i32 = 4;
const ENUMS: i32 = 5;
const SERVICES: i32 = 6;
/// Fields of a message, methods of a service, values of an enum.
const MEMBERS: i32 = 2;

/// The page of the contract below this folder.
///
/// # Errors
/// A file is not there or is no protobuf.
pub(super) fn page(folder: &Path) -> anyhow::Result<String> {
    let names = FILES.map(|name| format!("elomill/v1/{name}.proto"));
    let mut compiler = protox::Compiler::new([folder]).context("the contract has no folder")?;
    compiler.include_source_info(true).open_files(&names).context("the contract is wrong")?;
    let set = compiler.file_descriptor_set();
    let mut page = HEAD.to_owned();
    for name in &names {
        let file = set.file.iter().find(|file| file.name() == name);
        describe(&mut page, file.with_context(|| format!("{name} is not there"))?);
    }
    Ok(page)
}

/// The comments of a file by what they stand before.
struct Comments<'f>(BTreeMap<&'f [i32], String>);

impl<'f> Comments<'f> {
    fn of(file: &'f FileDescriptorProto) -> Self {
        let locations = file.source_code_info.iter().flat_map(|info| &info.location);
        let comment = |text: &str| {
            let lines: Vec<&str> = text.lines().map(str::trim).collect();
            lines.join(" ").trim().to_owned()
        };
        let leading = locations.filter_map(|location| {
            Some((location.path.as_slice(), comment(location.leading_comments.as_deref()?)))
        });
        Self(leading.collect())
    }

    fn before(&self, path: &[i32]) -> String {
        let text = self.0.get(path).map_or("", String::as_str);
        text.replace('<', "\\<").replace('|', "\\|")
    }
}

fn describe(page: &mut String, file: &FileDescriptorProto) {
    let comments = Comments::of(file);
    // Writing into a text cannot fail.
    let _ = write!(page, "\n## `{}`\n\n{}\n", file.name(), comments.before(&[SYNTAX]));
    for (i, service) in (0..).zip(&file.service) {
        describe_service(page, service, &comments, i);
    }
    for (i, message) in (0..).zip(&file.message_type) {
        describe_message(page, message, &comments, i);
    }
    for (i, of) in (0..).zip(&file.enum_type) {
        describe_enum(page, of, &comments, i);
    }
}

fn describe_service(
    page: &mut String,
    service: &ServiceDescriptorProto,
    comments: &Comments<'_>,
    i: i32,
) {
    let about = comments.before(&[SERVICES, i]);
    let _ = write!(page, "\n### service `{}`\n\n{about}\n\n", service.name());
    page.push_str("| call | takes | answers | |\n|---|---|---|---|\n");
    for (j, method) in (0..).zip(&service.method) {
        let side = |name: &str, streams: bool| {
            format!("{}`{}`", if streams { "stream of " } else { "" }, short(name))
        };
        let takes = side(method.input_type(), method.client_streaming());
        let answers = side(method.output_type(), method.server_streaming());
        let about = comments.before(&[SERVICES, i, MEMBERS, j]);
        let _ = writeln!(page, "| `{}` | {takes} | {answers} | {about} |", method.name());
    }
}

fn describe_message(page: &mut String, message: &DescriptorProto, comments: &Comments<'_>, i: i32) {
    let about = comments.before(&[MESSAGES, i]);
    let _ = write!(page, "\n### `{}`\n\n{about}\n", message.name());
    if message.field.is_empty() {
        return;
    }
    page.push_str("\n| no. | field | type | |\n|---|---|---|---|\n");
    for (j, field) in (0..).zip(&message.field) {
        let about = comments.before(&[MESSAGES, i, MEMBERS, j]);
        let kind = kind(field, message);
        let _ = writeln!(page, "| {} | `{}` | {kind} | {about} |", field.number(), field.name());
    }
}

fn describe_enum(page: &mut String, of: &EnumDescriptorProto, comments: &Comments<'_>, i: i32) {
    let about = comments.before(&[ENUMS, i]);
    let _ = write!(page, "\n### enum `{}`\n\n{about}\n\n", of.name());
    page.push_str("| no. | value | |\n|---|---|---|\n");
    for (j, value) in (0..).zip(&of.value) {
        let about = comments.before(&[ENUMS, i, MEMBERS, j]);
        let _ = writeln!(page, "| {} | `{}` | {about} |", value.number(), value.name());
    }
}

/// The type of a field in words, with how often it is there.
fn kind(field: &FieldDescriptorProto, message: &DescriptorProto) -> String {
    let own = word(field);
    let entry = message.nested_type.iter().find(|nested| {
        nested.options.as_ref().is_some_and(|options| options.map_entry()) && nested.name() == own
    });
    if let Some([key, value]) = entry.map(|entry| entry.field.as_slice()) {
        return format!("map of `{}` to `{}`", word(key), word(value));
    }
    match (field.label(), field.oneof_index.filter(|_| !field.proto3_optional())) {
        (Label::Repeated, _) => format!("list of `{own}`"),
        (_, Some(_)) => format!("`{own}`, one of these"),
        _ if field.proto3_optional() => format!("`{own}`, if there"),
        _ => format!("`{own}`"),
    }
}

fn word(field: &FieldDescriptorProto) -> String {
    match field.r#type() {
        Type::Message | Type::Enum => short(field.type_name()).to_owned(),
        simple => format!("{simple:?}").to_lowercase(),
    }
}

/// A name without its package.
fn short(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}
