//! 简体中文: why a text could not be read.

use crate::error::render::quoted;
use crate::ids::{MAX_NAME_LENGTH, MAX_REQUEST_ID_LENGTH, NameError, RequestIdError};
use crate::message::{KindNameError, WIRE_VERSION};
use crate::time::Millis;
use crate::wire::{DecodeError, JsonType, Shape, Syntax};

pub(super) fn message(error: &DecodeError) -> String {
    match error {
        DecodeError::TooLarge { bytes, limit } => {
            format!("文本共 {bytes} 字节，上限为 {limit} 字节")
        }
        DecodeError::NotJson { at, expected } => not_json(*at, *expected),
        DecodeError::LoneSurrogate { at } => {
            format!("第 {at} 字节处的转义只是半个代理对，不构成字符")
        }
        DecodeError::TooDeep { limit } => format!("对象和数组的嵌套超过 {limit} 层"),
        DecodeError::TooManyItems { limit } => {
            format!("一段文本中的字段和列表项超过 {limit} 个")
        }
        DecodeError::DuplicateField { field } => {
            format!("字段 {} 出现了两次，无法确定以哪个为准", quoted(field))
        }
        DecodeError::NotAnObject { found } => {
            format!("应为花括号括起的对象，实际是{}", json_type(*found))
        }
        DecodeError::UnsupportedVersion { found } => {
            format!("不支持报文格式版本 {}，只接受 `{WIRE_VERSION}`", quoted(found))
        }
        DecodeError::MissingField { path, expected } => {
            format!("缺少 {}，应为{}", quoted(path), shape(*expected))
        }
        DecodeError::WrongType { path, expected, found } => wrong_type(path, *expected, *found),
        DecodeError::UnknownType { path, found, nearest } => unknown_type(path, found, *nearest),
        DecodeError::InvalidName { path, found, why } => invalid_name(path, found, *why),
        DecodeError::InvalidId { path, why } => invalid_id(path, *why),
        DecodeError::InvalidKind { path, found, why } => invalid_kind(path, found, *why),
        DecodeError::InvalidIncarnation { path, found } => invalid_incarnation(path, found),
        DecodeError::InvalidDigest { path, found } => invalid_digest(path, found),
        DecodeError::InvalidNumber { path, found } => invalid_number(path, found),
        DecodeError::InvalidBoolean { path, found, accepted } => {
            format!("{} 的值是 {}，可接受的值：{}", quoted(path), quoted(found), choices(accepted))
        }
        DecodeError::InvalidChoice { path, found, accepted } => {
            format!(
                "{} 的值是 {}，应为其中之一：{}",
                quoted(path),
                quoted(found),
                choices(accepted)
            )
        }
        DecodeError::UnknownField { path } => format!("此处没有字段 {}", quoted(path)),
        DecodeError::Ambiguous { path, other } => {
            format!("{} 与 {} 互相矛盾", quoted(path), quoted(other))
        }
        DecodeError::NestedTooOften { path } => {
            format!("{} 是多层文本里嵌套的 JSON", quoted(path))
        }
    }
}

pub(super) fn hint(error: &DecodeError) -> String {
    match error {
        DecodeError::TooLarge { .. } => "缩短文本；较长的材料放到对方能读取的地方，并说明位置",
        DecodeError::NotJson { .. } => {
            "只发送一个 JSON 值：字段名和文本用双引号，不写注释，右括号前不加逗号，末尾不带其他内容"
        }
        DecodeError::LoneSurrogate { .. } => r"直接写出该字符，或写全 `\u` 转义的两半",
        DecodeError::TooDeep { .. } => "减少嵌套，把深层内容写进一个文本字段",
        DecodeError::TooManyItems { .. } => "减少条目，或分成几条消息发送",
        DecodeError::DuplicateField { .. } => "该字段只保留一个，取你真正想表达的值",
        DecodeError::NotAnObject { .. } => "发送一个带有消息字段的对象",
        DecodeError::UnsupportedVersion { .. } => "让双方使用支持同一报文格式的版本",
        DecodeError::MissingField { .. } => "补上该字段，写明你想表达的值；系统不会代为填写",
        DecodeError::WrongType { .. } => "按要求的类型书写该值；系统不做类型转换",
        DecodeError::UnknownType { .. } => {
            "使用文档中列出的 `type`；如果只是想说句话，发送普通文本即可"
        }
        DecodeError::InvalidName { .. } => "使用团队成员的名字，与名单上的写法完全一致",
        DecodeError::InvalidId { .. } => "原样重复请求中给出的 id，切勿自行编造",
        DecodeError::InvalidKind { .. } => "逐字使用已声明的种类名",
        DecodeError::InvalidIncarnation { .. } => "不要手写 `incarnation`，信封由引擎填写",
        DecodeError::InvalidDigest { .. } => "原样重复所裁决计划的摘要，或交给引擎填写",
        DecodeError::InvalidNumber { .. } => "只用数字书写：不加引号、符号、小数或指数",
        DecodeError::InvalidBoolean { .. } => {
            "写出你想表达的 JSON 布尔值；含糊的写法既不算是也不算否"
        }
        DecodeError::InvalidChoice { .. } => "从列出的值中选一个，逐字照写",
        DecodeError::UnknownField { .. } => "删去该字段，其内容写进已知字段",
        DecodeError::Ambiguous { .. } => "只说一次，取你真正想表达的值，另一个字段不写",
        DecodeError::NestedTooOften { .. } => "直接写对象本身，不要把 JSON 包进文本",
    }
    .to_owned()
}

fn not_json(at: usize, expected: Syntax) -> String {
    let expected = match expected {
        Syntax::Value => "一个值",
        Syntax::FieldName => "双引号括起的字段名",
        Syntax::Colon => "字段名后的冒号",
        Syntax::CommaOrEnd => "逗号或右括号",
        Syntax::Digit => "数字",
        Syntax::ClosingQuote => "文本的结束引号",
        Syntax::EscapedControl => "控制字符的转义写法",
        Syntax::Escape => r#"`\" \\ \/ \b \f \n \r \t` 之一，或 `\u` 加四位十六进制数"#,
        Syntax::End => "文本结束",
    };
    format!("从第 {at} 字节起不是 JSON，此处应为{expected}")
}

fn wrong_type(path: &str, expected: Shape, found: JsonType) -> String {
    let (expected, found) = (shape(expected), json_type(found));
    format!("{} 是{found}，应为{expected}", quoted(path))
}

fn unknown_type(path: &str, found: &str, nearest: Option<&str>) -> String {
    let unknown = format!("{} 的值是 {}，没有这种消息", quoted(path), quoted(found));
    match nearest {
        Some(nearest) => format!("{unknown}；最接近的是 {}", quoted(nearest)),
        None => unknown,
    }
}

fn invalid_name(path: &str, found: &str, why: NameError) -> String {
    let why = match why {
        NameError::Empty => "为空",
        NameError::TooLong => "太长",
        NameError::BadCharacter => "含有其他字符",
    };
    format!(
        "{} 的值 {} {why}，应为 1 到 {MAX_NAME_LENGTH} 个 `A-Z a-z 0-9 _ -` 字符",
        quoted(path),
        quoted(found),
    )
}

fn invalid_id(path: &str, why: RequestIdError) -> String {
    let why = match why {
        RequestIdError::Empty => "为空",
        RequestIdError::TooLong => "太长",
    };
    format!("{} {why}，应为 1 到 {MAX_REQUEST_ID_LENGTH} 个字符", quoted(path))
}

fn invalid_kind(path: &str, found: &str, why: KindNameError) -> String {
    let why = match why {
        KindNameError::Empty => "内容为空",
        KindNameError::TooLong => "超过 64 个字符",
        KindNameError::BadCharacter => "应以小写字母开头，其后只用 `a-z 0-9 _`",
    };
    format!("{} 的值是 {}，不是种类名：{why}", quoted(path), quoted(found))
}

fn invalid_incarnation(path: &str, found: &str) -> String {
    format!("{} 的值是 {}，应为 `<起始毫秒>-<16 位十六进制数>`", quoted(path), quoted(found))
}

fn invalid_digest(path: &str, found: &str) -> String {
    format!("{} 的值是 {}，应为 `b3_` 加 64 位小写十六进制数", quoted(path), quoted(found))
}

fn invalid_number(path: &str, found: &str) -> String {
    let most = Millis::MAX_FROM_OUTSIDE;
    format!("{} 的值是 {}，应为不超过 {most} 的非负整数", quoted(path), quoted(found))
}

fn choices(accepted: &[&'static str]) -> String {
    let quoted: Vec<_> = accepted.iter().map(|choice| quoted(choice).to_string()).collect();
    quoted.join("、")
}

const fn json_type(found: JsonType) -> &'static str {
    match found {
        JsonType::Null => "空值 null",
        JsonType::Boolean => "布尔值",
        JsonType::Number => "数字",
        JsonType::Text => "文本",
        JsonType::Array => "列表",
        JsonType::Object => "对象",
    }
}

const fn shape(expected: Shape) -> &'static str {
    match expected {
        Shape::Text => "文本",
        Shape::Integer => "整数",
        Shape::Boolean => "布尔值",
        Shape::Object => "对象",
        Shape::TextList => "文本列表",
        Shape::ObjectList => "对象列表",
        Shape::TextOrObject => "文本，或带 `type` 的对象",
    }
}
