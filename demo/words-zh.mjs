/** 简体中文。 */

const seconds = (ms) => `${ms / 1000} 秒`;

export const zh = {
  help: `一支 LLM 智能体团队如何握手：team-protocols 演示。

  npm run demo                     完整演示（英文）
  npm run demo -- --lang zh        中文
  node demo/main.mjs --help        本说明

选项
  --lang en|zh    所有输出的语言，包括引擎的错误文本
  --help, -h      本说明

图例
  ✎   模型写给消息工具的输入，来自 tests/vectors/field/demo-*.json
  ──▶ 成员之间的一帧消息                        ╌╌▷ 无人收取的消息
  ●   请求的状态变化                            ○   成员存活状态的变化
  ✓   计划闸门放行一个动作                      ✗   被拒绝，并给出下一步
  ⚠   警报                                      ·   宿主所做或所见

每个成员一个引擎，都在本进程内，使用自己的总线和时钟：数分钟的故事远不到一秒就跑完，
每次结果相同。没有任何一行是“假装发生”的：消息、结果、拒绝和警报都来自引擎的报告。
只要有一步不符合预期，演示就以退出码 1 结束。

终端上使用颜色；NO_COLOR=1 关闭，FORCE_COLOR=1 强制开启。`,
  usage: (argument) => `未知参数：${argument}\n参见：node demo/main.mjs --help`,
  failed: (why) => `演示没有按预期进行：${why}`,
  stuck: "故事在等待的事情始终没有发生",

  comma: "，",
  readAs: "理解为：",
  refused: "拒绝：",
  hint: "下一步：",
  alarm: "警报",
  notes: {
    coerced: "带引号的布尔值按布尔值读取",
    alias: "别的字段名按本协议字段读取",
    unwrapped: "字符串里的 JSON 已展开",
    unknown_field: "未知字段已忽略",
    text_from_summary: "正文取自摘要",
  },
  shortId: (given, whole) => `${given} 是 ${whole} 的开头`,
  unchanged: (hash) => `状态哈希未变：${hash}…`,
  by: (member) => `由 ${member} 决定`,
  cause: (cause) => `(${cause})`,
  reminder: (count) => `第 ${count} 次提醒：同一 id，写明如何答复`,
  drain: (member, when) => `最后查看一次 ${member} 的信箱；${when} 判定`,
  held: ({ requestId, kind, status, title, scope = [] }, short) =>
    `它持有 ${kind} ${short(requestId)}（${status}）` +
    (title ? `：“${title}”，可能只做了一半：${scope.join("，")}` : ""),
  said: (type, message) => {
    const { plan, approve, ok, status, retry_after_ms: again } = message;
    if (type === "text") return [`“${message}”`];
    if (type === "receipt") return ["引擎自动确认收到"];
    if (status) return [`告知结局：${status}`];
    if (plan) return [`“${plan.title}”`, `范围 ${plan.scope.join("，")}`, `风险 ${plan.risk}`];
    const said = [];
    if (approve !== undefined) said.push(approve ? "同意" : "不同意");
    if (ok !== undefined) said.push(ok ? "已完成" : "失败");
    if (again) said.push(`${seconds(again)}后再问`);
    const text = message.reason ?? message.feedback ?? message.detail;
    if (text) said.push(`“${text}”`);
    return said.length > 0 ? [said.join("，")] : [];
  },

  partA: "五个练习",
  partB: "三种故障",
  scenes: {
    shutdown: {
      title: "关机：先询问，后离开",
      look: "同一个 id 把答复和请求绑在一起。同意不等于已经离开：在确认退出之前，alice 处于 leaving。",
    },
    table: {
      title: "之后的团队",
      look: "领导调用一次 team() 得到的表：alice 已离开，其他成员不受影响。",
    },
    rejected: {
      title: "高风险计划被退回，闸门保持关闭",
      look: "说“不”必须给出理由：第一次尝试被拒绝，状态没有任何改变。bob 不被允许做的事，根本无法开始。",
    },
    approved: {
      title: "计划获批、执行、回报",
      look: "批准只为计划写明的范围打开闸门，直到工作回报为止。领导只抄了 id 的短写。",
    },
    team: {
      title: "一眼看清整个团队",
      look: "alice 以新进程、新的实例回到团队。⇢ 是领导发出、正在等待的请求；⇠ 是等待领导答复的请求。",
    },
    section: {
      title: "临界区里的成员被要求关机",
      look: "引擎立刻替忙碌的成员作答，写明原因和何时再问。领导到时再问一次。",
    },
    unplanned: {
      title: "没有计划的破坏性动作",
      look: "charlie 的批准随着回报而结束。拒绝信息说明该怎么做，模型读了就能照办。",
    },
    silent: {
      title: "一个成员失去响应",
      look: "三次提醒，超时，最后查看一次信箱，然后是警报，并列出失联成员持有的东西。领导始终没有被阻塞。",
    },
  },

  intro: [
    "五个成员，各有一个引擎，共用本进程内的一条总线和一个手动推进的时钟。",
    "✎ 模型书写   ──▶ 消息   ╌╌▷ 无人收取的消息   ● 请求状态变化",
    "○ 存活状态   ✓ 闸门放行   ✗ 拒绝   ⚠ 警报   · 宿主   （更多见 --help）",
  ],
  table: {
    head: ["成员", "角色", "存活", "实例始于", "未决请求", "等待始于"],
    asked: (kind, id) => `⇢ ${kind} ${id}`,
    owed: (kind, id) => `⇠ ${kind} ${id}`,
    none: "–",
  },
  owes: (member, { kind, from }, until) => `${member} 应在 ${until} 前答复 ${from} 的 ${kind}：`,
  yesShape: "同意：",
  noShape: "不同意：",
  seconds,
  exits: "进程结束：exit()",
  wantsTo: (action) => `想要执行 ${action}`,
  gateOpen: (action, id) => `闸门为 ${action} 打开，依据 ${id}`,
  respawn: "启动新进程；领导宣告新的实例",
  enters: (section, eta) => `进入临界区“${section}”，大约 ${eta}`,
  sectionName: "数据库结构迁移",
  leaves: (section) => `离开临界区“${section}”`,
  answeredFor: (mark) => `由引擎而不是模型作答（审计标记 ${mark}）`,
  waits: (time) => `按对方所说，${time}后再来`,
  hangs: "进程卡死：不再收取任何消息",
  mailbox: (count, member) => `${count} 帧消息留在 ${member} 的信箱里无人收取`,
  released: (status, after) => `调用在 ${after}后返回：${status}`,

  summary: "审计记录的统计",
  summaryHead: ["成员", "接受", "答复", "了结", "记录", "丢弃", "拒绝", "警报"],
  life: (member, number) => (number > 1 ? `${member}（第 ${number} 个实例）` : member),
  total: "合计",
  byStatus: (counts) => `已了结的请求：${counts}`,
  checked: (count, time) => `${count} 条审计记录，虚拟时间 ${time}，每一步都符合预期`,
  next: "接着读：docs/protocol.md 是协议规则，src/ts/protocol-engine.ts 是接口，demo/exercises.mjs 是这个故事的代码。",
};
