/** The one error class of this package. */

/** Whose fault an error is. */
export type ErrorFamily =
  /** The text cannot be read: the sender's. */
  | "undecodable"
  /** The message breaks a rule: the sender's, or the model's. */
  | "invalid"
  /** It does not fit how things stand: perhaps nobody's. */
  | "not_now"
  /** The call makes no sense: the host's. */
  | "misuse"
  /** The configuration makes no sense: the host's. */
  | "configuration"
  /** The transport could not send, or the journal could not be written: theirs. */
  | "transport"
  /** What was saved cannot be gone on from: its store's. */
  | "unrestorable";

/** What an error tells. */
export interface ErrorData {
  /** Whose fault it is. */
  readonly family: ErrorFamily;
  /** The stable code: decide by this one. */
  readonly code: string;
  /** The group of rules it belongs to. */
  readonly rule: string;
  /** The field at fault, where there is one. */
  readonly path?: string;
  /** What was wrong, and what would have been accepted. */
  readonly message: string;
  /** The safe next step, also for a reader that is a model. */
  readonly hint: string;
}

/**
 * Something was refused. A refused call or frame has changed nothing.
 *
 * Recognise it by `code`; `instanceof` works within one copy of the package,
 * {@link ProtocolError.is} across copies and realms.
 */
export class ProtocolError extends Error {
  /** Always `"ProtocolError"`. */
  override readonly name = "ProtocolError";
  /** Whose fault it is. */
  readonly family: ErrorFamily;
  /** The stable code: decide by this one. */
  readonly code: string;
  /** The group of rules it belongs to. */
  readonly rule: string;
  /** The field at fault, where there is one. */
  readonly path: string | undefined;
  /** The safe next step, also for a reader that is a model. */
  readonly hint: string;

  /** Makes an error from what it tells. */
  constructor(data: ErrorData, options?: { cause?: unknown }) {
    super(data.message, options);
    this.family = data.family;
    this.code = data.code;
    this.rule = data.rule;
    this.path = data.path;
    this.hint = data.hint;
  }

  /** Whether a caught value is an error of this package, whichever copy of it threw it. */
  static is(value: unknown): value is ProtocolError {
    return (
      typeof value === "object" &&
      value !== null &&
      (value as Partial<ProtocolError>).name === "ProtocolError" &&
      typeof (value as Partial<ProtocolError>).code === "string"
    );
  }

  /** The error as plain data, for logs and for models. */
  toJSON(): ErrorData {
    const { family, code, rule, path, message, hint } = this;
    return { family, code, rule, ...(path === undefined ? {} : { path }), message, hint };
  }
}

/** An error that arises on this side of the boundary. */
export function hostError(
  code: keyof typeof HOST_ERRORS,
  lang: "en" | "zh" = "en",
  { path, cause, detail }: { path?: string; cause?: unknown; detail?: string } = {},
): ProtocolError {
  const { family, rule, en, zh } = HOST_ERRORS[code];
  const [text, hint] = lang === "zh" ? zh : en;
  const message = detail === undefined ? text : `${text}${lang === "zh" ? "：" : ": "}${detail}`;
  return new ProtocolError(
    { family, code, rule, ...(path === undefined ? {} : { path }), message, hint },
    cause === undefined ? undefined : { cause },
  );
}

/** Codes of this side: what the core cannot know of. */
const HOST_ERRORS = {
  send_failed: {
    family: "transport",
    rule: "transport",
    en: [
      "the transport could not send the request; it ended as `cancelled`, cause `send_failed`",
      "see `cause` for the transport's own error; once it works again, ask anew",
    ],
    zh: [
      "传输层未能发送该请求；请求以 `cancelled` 结束，原因 `send_failed`",
      "传输层自身的错误见 `cause`；恢复后请重新发起请求",
    ],
  },
  handler_taken: {
    family: "misuse",
    rule: "lifecycle",
    en: [
      "there is a handler for this already",
      "call the function that `onRequest` or `onWork` returned to take the first one away",
    ],
    zh: ["此处已有处理函数", "先调用 `onRequest` 或 `onWork` 返回的函数移除前一个"],
  },
  closed: {
    family: "misuse",
    rule: "lifecycle",
    en: ["the engine is closed", "make a new engine; a closed one takes part in nothing"],
    zh: ["引擎已关闭", "请新建引擎；已关闭的引擎不再参与任何通信"],
  },
  reader_too_slow: {
    family: "misuse",
    rule: "lifecycle",
    en: [
      "more happened than could wait for this reader; what came after is not told here",
      "read faster, or use `subscribe`; `obligations()` and `team()` tell how things stand",
    ],
    zh: [
      "发生的事件太多，读取方跟不上；此后的事件不再在此告知",
      "加快读取，或改用 `subscribe`；`obligations()` 和 `team()` 会说明当前情况",
    ],
  },
  suspended: {
    family: "not_now",
    rule: "lifecycle",
    en: [
      "the engine was suspended; the request is still open",
      "go on with `ProtocolEngine.restore`, and wait with `settled(requestId)`",
    ],
    zh: [
      "引擎已暂停运行；请求仍未结束",
      "用 `ProtocolEngine.restore` 接续，再用 `settled(requestId)` 等待",
    ],
  },
  not_well_formed: {
    family: "undecodable",
    rule: "shape",
    en: [
      "the text contains half of a surrogate pair, which no encoding can carry",
      "use `text.toWellFormed()`, or find where the text was cut in the middle of a character",
    ],
    zh: [
      "文本含有半个代理对，任何编码都无法表示",
      "使用 `text.toWellFormed()`，或检查文本是否在字符中间被截断",
    ],
  },
  not_text: {
    family: "misuse",
    rule: "shape",
    en: ["a text was expected", "pass a string"],
    zh: ["此处应为文本", "请传入字符串"],
  },
  not_boolean: {
    family: "misuse",
    rule: "shape",
    en: [
      "a decision is `true` or `false`",
      "pass a boolean; texts are read as booleans only where models write them (`callTool`)",
    ],
    zh: [
      "决定必须是 `true` 或 `false`",
      "请传入布尔值；只有模型书写的输入（`callTool`）才会解读文本",
    ],
  },
  not_json: {
    family: "misuse",
    rule: "shape",
    en: [
      "the value cannot be written as JSON",
      "pass plain data: no cycles, no functions, no `bigint`; `cause` says what was in the way",
    ],
    zh: ["该值无法写成 JSON", "请传入纯数据：不能有循环引用、函数或 `bigint`；具体原因见 `cause`"],
  },
  not_a_number: {
    family: "misuse",
    rule: "shape",
    en: ["a number was expected", "pass a number; times are milliseconds"],
    zh: ["此处应为数字", "请传入数字；时间以毫秒为单位"],
  },
  bad_option: {
    family: "misuse",
    rule: "shape",
    en: ["the option at `path` has a value that it cannot have", "see the option's type"],
    zh: ["`path` 处的选项取值无效", "请查看该选项的类型"],
  },
  invalid_payload: {
    family: "invalid",
    rule: "shape",
    en: [
      "the payload does not fit the schema of its kind",
      "correct what is named, and try again; nothing was sent",
    ],
    zh: ["载荷不符合该类请求的模式", "请改正所列之处后重试；没有发送任何内容"],
  },
  invalid_answer: {
    family: "invalid",
    rule: "shape",
    en: [
      "the payload of the answer does not fit the schema of its kind",
      "do not use the payload; the decision stands, and `outcome(requestId)` tells it",
    ],
    zh: [
      "答复的载荷不符合该类请求的模式",
      "不要使用该载荷；决定仍然有效，可用 `outcome(requestId)` 查看",
    ],
  },
  restored_twice: {
    family: "unrestorable",
    rule: "durability",
    en: [
      "another engine here goes on from what was saved of this member already",
      "use that engine, or close it first; to look at what was saved use `Engine.replay`",
    ],
    zh: [
      "此处已有另一个引擎在接续该成员保存的内容",
      "请使用那个引擎，或先将其关闭；只想查看保存的内容请用 `Engine.replay`",
    ],
  },
  journal_failed: {
    family: "transport",
    rule: "durability",
    en: [
      "the journal could not be written; the engine has stopped, and nothing more goes out",
      "see `cause`; when the store works again, go on with `ProtocolEngine.restore`",
    ],
    zh: [
      "日志无法写入；引擎已停止，不再发出任何内容",
      "原因见 `cause`；存储恢复后，用 `ProtocolEngine.restore` 接续",
    ],
  },
  journal_in_use: {
    family: "misuse",
    rule: "durability",
    en: [
      "another process has this journal open",
      "let one process at a time speak for a member; stop the other one first",
    ],
    zh: ["另一个进程已打开该日志", "同一时间只让一个进程代表一个成员；先停止另一个"],
  },
  journal_not_empty: {
    family: "misuse",
    rule: "durability",
    en: [
      "this journal holds the life of an engine already",
      "go on from it with `ProtocolEngine.restore`, or give the new life a journal of its own",
    ],
    zh: ["该日志已保存一个引擎的记录", "用 `ProtocolEngine.restore` 接续，或为新引擎另用一份日志"],
  },
  journal_takes_time: {
    family: "misuse",
    rule: "durability",
    en: [
      "the journal of this engine is written asynchronously, and no action may start before it is",
      "use `await gate.enterAsync(action)`, or a journal that is written at once",
    ],
    zh: [
      "该引擎的日志以异步方式写入，写入之前不得开始任何动作",
      "请用 `await gate.enterAsync(action)`，或使用同步写入的日志",
    ],
  },
  unknown_request: {
    family: "not_now",
    rule: "correlation",
    en: [
      "no request of this member with this id is open or remembered",
      "wait with the whole id that the request or `callTool` returned; `team()` lists what is open",
    ],
    zh: [
      "本成员没有打开或仍被记住的、具有该编号的请求",
      "请使用请求或 `callTool` 返回的完整编号；`team()` 会列出尚未结束的请求",
    ],
  },
  internal: {
    family: "misuse",
    rule: "internal",
    en: [
      "the wasm core stopped; this is a bug of team-protocols",
      "please report it with what led to it; this engine cannot be used any further",
    ],
    zh: [
      "wasm 核心意外停止；这是 team-protocols 的缺陷",
      "请附上触发经过提交问题；该引擎不能继续使用",
    ],
  },
} as const satisfies Record<
  string,
  {
    family: ErrorFamily;
    rule: string;
    en: readonly [string, string];
    zh: readonly [string, string];
  }
>;
