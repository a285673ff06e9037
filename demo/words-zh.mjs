/** 简体中文。 */

import { asOption, chain, short } from "./timeline.mjs";

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
  ●   请求的状态变化                            ◐   多名裁决者之一的表决
  ○   成员存活状态的变化                        ·   宿主所做或所见
  ✓   计划闸门放行一个动作                      ✗   被拒绝，并给出下一步
  ⚠   警报

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
  held: ({ requestId, kind, status, title, scope = [] }) =>
    `它持有 ${kind} ${short(requestId)}（${status}）` +
    (title ? `：“${title}”，可能只做了一半：${scope.join("，")}` : ""),
  said: (type, message, to) => {
    const { plan, approve, ok, status, retry_after_ms: again } = message;
    if (type === "text") return [`“${message}”`];
    if (type === "receipt") return ["引擎自动确认收到"];
    if (status) return [`告知结局：${status}`];
    if (message.path) return [`谁在等谁：${chain(message.path, to)}`];
    if (message.cycle) return [`等待成环：${chain(message.cycle, message.cycle[0].member)}`];
    const asked = message.follows ? [follows(asOption(message.follows))] : [];
    if (type === "request") return [...asked, `${message.kind}，所需：${message.payload.on}`];
    if (plan) {
      const scope = plan.scope.join("，");
      return [...asked, `“${plan.title}”`, `范围 ${scope}`, `风险 ${plan.risk}`];
    }
    const said = [];
    if (approve !== undefined) said.push(approve ? "同意" : "不同意");
    if (ok !== undefined) said.push(ok ? "已完成" : "失败");
    if (message.rolled_back !== undefined) said.push(message.rolled_back ? "已撤销" : "未能撤销");
    if (again) said.push(`${seconds(again)}后再问`);
    const text = message.reason ?? message.feedback ?? message.detail;
    if (text) said.push(`“${text}”`);
    return said.length > 0 ? [said.join("，")] : [];
  },
  vote: ({ by, approve, counted, awaiting }) => {
    const said = `${by} ${approve ? "同意" : "不同意"}`;
    if (!counted) return `${said}：已记录，来得太迟，不计票`;
    return awaiting.length > 0 ? `${said}，尚未表决：${awaiting.join("，")}` : said;
  },
  submits: ({ stages, follows: link, onApproved, compensation }) => {
    const parts = ["提交计划"];
    if (link) parts.push(follows({ ...link, justification: undefined }));
    if (stages) parts.push(`交由 ${stages.map(panel).join("，然后 ")}`);
    if (onApproved) parts.push(`获批后执行“${onApproved}”，撤销用“${compensation}”`);
    return parts.join("，");
  },
  gone: (member) => `宿主告知：${member} 已不在`,
  lineage: ({ follows: { as, requestId: id }, digest }) =>
    `看到：${LINKS[as](short(id))}，摘要相同 ${digest.slice(0, DIGEST_SHOWN)}…`,
  waitsFor: (member, on) => `没有“${on}”就无法继续，向 ${member} 请求`,
  circle: (cycle, victim) => [
    chain(cycle, cycle[0].member),
    `放弃 ${short(victim)}：环中最大的 id`,
  ],
  freeAfter: (ms, limit) => `${ms} 毫秒后不再等待；没有探测，双方都要等到 ${limit}后超时`,
  works: ({ name, cause, run }) => `执行“${name}”（${cause}，该计划的第 ${run} 次执行）`,
  workFailed: ({ name, detail }) => `“${name}”失败：${detail}`,
  undone: (done, id) => `看到 ${id} 的工作${done ? "已撤销" : "未能撤销"}`,

  partA: "五个练习",
  partB: "三种故障",
  partC: "四个更难的情形",
  secondTeam:
    "第二个团队登场：成员 interface 和 model，审批者 qa、dba、ops 和 security，以及他们的负责人。这里没有谁书写工具输入，由宿主直接调用接口。",
  scenes: {
    shutdown: {
      title: "关机：先询问，后离开",
      look: "同一个 id 把答复和请求绑在一起。同意不等于已经离开：在确认退出之前，alice 处于 leaving。",
    },
    table: {
      title: "之后的团队",
      look: "负责人调用一次 team() 得到的表：alice 已离开，其他成员不受影响。",
    },
    rejected: {
      title: "高风险计划被退回，闸门保持关闭",
      look: "说“不”必须给出理由：第一次尝试被拒绝，状态没有任何改变。bob 不被允许做的事，根本无法开始。",
    },
    approved: {
      title: "计划获批、执行、回报",
      look: "批准只为计划写明的范围打开闸门，直到工作回报为止。负责人只抄了 id 的短写。",
    },
    team: {
      title: "一眼看清整个团队",
      look: "alice 以新进程、新的实例回到团队。⇢ 是负责人发出、正在等待的请求；⇠ 是等待负责人答复的请求。",
    },
    section: {
      title: "临界区里的成员被要求关机",
      look: "引擎立刻替忙碌的成员作答，写明原因和何时再问。负责人到时再问一次。",
    },
    unplanned: {
      title: "没有计划的破坏性动作",
      look: "charlie 的批准随着回报而结束。拒绝信息说明该怎么做，模型读了就能照办。",
    },
    silent: {
      title: "一个成员失去响应",
      look: "三次提醒，超时，最后查看一次信箱，然后是警报，并列出失联成员持有的东西。负责人始终没有被阻塞。",
    },
    quorum: {
      title: "多名成员分两阶段裁决",
      look: "同一个 id，每名审批者各收一帧。结局一旦确定，阶段立即结束：第一阶段三人中两人同意即可，第二阶段一人反对即否决。之后的表决只作记录。",
    },
    appeal: {
      title: "被退回的计划经申诉再次提交",
      look: "同样的计划就是同样的问题，凭摘要认出。只有申诉可以再问：要说出第一次裁决没有考虑的事，次数也有限。",
    },
    deadlock: {
      title: "两个成员互相等待",
      look: "能事先知道的等待环，会被拒绝；无法事先知道的，会被发现并打破。因角色而被拒绝，两者都不是。",
    },
    rollback: {
      title: "获批的工作失败，撤销恰好一次",
      look: "计划写明两项工作的处理函数：一项在获批后执行，一项用来撤销。负责人从回报中得知两者的结局。",
    },
  },
  quorum: {
    plan: {
      title: "删除旧的特征表",
      scope: ["run:drop_features_v1"],
      risk: "高：删掉的就没有了",
    },
    changed: {
      title: "先给旧的特征表改名，一周后再删",
      scope: ["run:rename_features_v1"],
      risk: "低：改名可以撤回",
    },
    qa: "没有它，测试全部通过",
    ops: "一个月来没有人读过它",
    dba: "还有两份报表用到它",
    security: "法律要求保留到五月审计",
  },
  appeal: {
    plan: {
      title: "把公开接口中的字段 mail 改名为 email",
      scope: ["write:api/user.ts"],
      risk: "中：读取 mail 的客户端会什么都找不到",
    },
    no: "已发布的客户端还在读 mail",
    again: "再次提交同样的计划，好像什么都没有说过",
    justification: "从今天起，网关在一年内两个名字都支持",
    yes: "先前不知道这一点，可以做",
    action: "write:api/user.ts",
  },
  deadlock: {
    sameInstant:
      "同一时刻：一方发出请求时，另一方的请求还没有到达。这里一帧要走 20 毫秒，到达时才显示。探测沿着等待中的请求前行；回到走过的成员，就是等待环。",
    knownBefore: "事先已知：成员不向正等待自己答复的成员请求。当即拒绝，一帧也不发出。",
    byRole:
      "因角色被拒绝：一个 worker 请另一个 worker 批准计划。无论谁在等谁，角色表都不允许；这不是发现了死锁。",
    plan: {
      title: "把 interface 包拆成两个",
      scope: ["write:api/**"],
      risk: "低：旧名字保留为别名",
    },
    nobodyWaits: "没有向任何人发出请求，也没有人在等；审计记录中只有一次死锁，就是上面那一次",
    fields: "User 的字段名",
    signature: "save() 的签名",
    errors: "错误的类型",
    texts: "错误的文本",
    ready: (on) => `已经有了：${on}`,
  },
  rollback: {
    plan: {
      title: "把新特征载入特征表",
      scope: ["write:db/features"],
      risk: "中：载入中途停下会留下新旧混杂的表",
    },
    once: "再次回报这次失败",
    yes: "先备份，可以做",
    action: "write:db/features",
    full: (rows) => `磁盘已满，停在 ${rows} 行`,
    restored: (rows) => `已从备份恢复，共 ${rows} 行`,
  },

  intro: [
    "五个成员，各有一个引擎，共用本进程内的一条总线和一个手动推进的时钟。",
    "✎ 模型书写   ──▶ 消息   ╌╌▷ 无人收取的消息   ● 请求状态变化",
    "◐ 表决   ○ 存活状态   ✓ 闸门放行   ✗ 拒绝   ⚠ 警报   · 宿主   （更多见 --help）",
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
  respawn: "启动新进程；负责人宣告新的实例",
  enters: (section, eta) => `进入临界区“${section}”，大约 ${eta}`,
  sectionName: "数据库结构迁移",
  leaves: (section) => `离开临界区“${section}”`,
  answeredFor: (mark) => `由引擎而不是模型作答（审计标记 ${mark}）`,
  waits: (time) => `按对方所说，${time}后再来`,
  hangs: "进程卡死：不再收取任何消息",
  mailbox: (count, member) => `${count} 帧消息留在 ${member} 的信箱里无人收取`,
  released: (status, after) => `调用在 ${after}后返回：${status}`,

  summary: "审计记录的统计",
  teams: ["练习和故障中的团队", "更难的情形中的团队"],
  summaryHead: ["成员", "接受", "答复", "了结", "记录", "丢弃", "拒绝", "警报"],
  life: (member, number) => (number > 1 ? `${member}（第 ${number} 个实例）` : member),
  total: "合计",
  byStatus: (counts) => `已了结的请求：${counts}`,
  checked: (count, time) => `${count} 条审计记录，虚拟时间 ${time}，每一步都符合预期`,
  next: "接着读：docs/protocol.md 是协议规则，src/ts/protocol-engine.ts 是接口，demo/exercises.mjs 和 demo/cases.mjs 是这个故事的代码。",
};

const LINKS = {
  retry: (id) => `${id} 的重试`,
  appeal: (id) => `对 ${id} 的申诉`,
  revision: (id) => `${id} 的修订`,
};

/** 摘要显示多少个字符。 */
const DIGEST_SHOWN = 11;

function panel({ approvers, threshold, veto }) {
  if (approvers.length === 1) return approvers[0];
  const rule = veto ? "，一人反对即否决" : "";
  return `${approvers.length} 人中的 ${threshold} 人（${approvers.join("，")}${rule}）`;
}

function follows({ as, requestId, justification }) {
  const what = LINKS[as](short(requestId));
  return justification ? `${what}：“${justification}”` : what;
}
