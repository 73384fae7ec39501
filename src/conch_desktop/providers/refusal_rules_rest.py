"""The rules for refusals over money, limits, keys, models and trouble: the second half of `refusal_rules`."""

from __future__ import annotations

from conch_desktop.providers.refusal_rule import REQUEST, SERVER, Rule

RULES: tuple[Rule, ...] = (
    # Money before limits: both say 429 and "quota".
    Rule("quota", statuses=(402,)),
    Rule("quota", (r"quota exceeded[^\n]{0,200}limit: 0\b",), "Gemini's free tier, known"),
    Rule(
        "rate",
        (
            r"resource.?exhausted|rate_limit_exceeded|per \d+s exceeded|\b[tr]p[mds]\b",
            r"per.?(?:minute|second|day|hour)\S{0,40}per(?:project|user|model)",
            r"(?:requests?|tokens) per (?:minute|second|hour|day)",
        ),
        "google-gemini/gemini-cli #14831; HunorLaczko/ha-groq-cloud-api #27; elizaOS/eliza #4040",
        unless=r"insufficient_quota|balance",
    ),
    Rule(
        "quota",
        (
            r"insufficient_\w{0,8}quota|exceeded_current_quota|creditserror|arrearage|overdue|billing",
            r"spend(?:ing)? limit",
            (
                r"(?:exceeded|exhausted|reached|over)[^\n]{0,20}(?:current |monthly |your |usage |included |spending |"
                r"credit |plan )+(?:quota|credits?|limits?|balance)"
            ),
            r"budget has been exceeded|key limit exceeded",
            r"credit balance|insufficient (?:\w+ )?(?:balance|credits?|funds)",
            r"balance is (?:insufficient|too low|not enough)",
            r"requires? (?:more credits|a (?:paid|pro|higher)|paid|payment|(?:an? )?(?:active )?subscription)",
            r"out of (?:credits|quota)|no credits(?! were)|not enough credits",
            r"(?:add|buy|purchase)(?: \w+){0,2} credits",
            r"credits? (?:limit |are |have |has |is )*(?:exhausted|exceeded|depleted|used up)",
            r"payment (?:required|method)|free(?: |_)?tier ?only",
            r"free (?:tier|quota|trial)\b[^\n]{0,40}(?:exhausted|exceeded|used up|expired)",
        ),
        "666ghj/BettaFish #286; FoundationAgents/OpenManus #438; TiaraBasori/OpenCode2API #5; Gitlawb/openclaude #1125",
        unless=r"rate limit|free-models-per|tokens per|requests per|limit_rpm",
    ),
    Rule(
        "quota",
        (r"余额不足|欠费|额度(?:不足|已用尽|已用完)|资源包|充值|quota is not enough|user quota",),
        "zhayujie/CowAgent #2910; langgenius/dify #5850",
    ),
    Rule(
        "rate",
        (
            r"rate.?limit|too many requests|throttl|too many tokens, please wait|slow down|error code: 1015",
            r"rate_?quota",
            r"concurren\w+ (?:request )?limit|request limit (?:reached|exceeded)|free-models-per",
            r"请求过于频繁|速率限制|并发",
        ),
        "open-webui/computer #293; rest known",
        unless=r"worker local",
    ),
    #
    # Too long.
    Rule(
        "context_length",
        (
            r"exceed_context_size|context_length_exceeded|context_window_exceeded|max_prompt_tokens_exceeded",
            r"tokens_limit_reached|maximum (?:context|prompt|input|sequence|model) ?(?:length|tokens?|size|window)",
            r"max context length",
            (
                r"(?:context|prompt|input)(?: token)?(?: length| size| window| limit| count)+[^\n]{0,60}(?:exceed|"
                r"longer|limit|overflow|only|greater|too|maximum|smaller)"
            ),
        ),
        "coder/aibridge #56; eslint/tsc-meetings PR #593; rest known",
    ),
    Rule(
        "context_length",
        (
            (
                r"(?:exceed\w*|longer than|larger than|greater than|over|overflow\w*)[^\n]{0,40}(?:context|prompt "
                r"limit|maximum number of tokens|input limit|token limit|max_seq_len)"
            ),
            (
                r"(?:prompt|input|messages?|conversation|request|context)(?: tokens)?(?: is| are| was)? "
                r"(?:too (?:long|large)|\d+ "
                r"tokens)"
            ),
            r"range of input length|must be <= \d+\. given: \d+ 'inputs'|too many (?:input )?tokens",
            r"prompt contains \d+ tokens",
            r"reduce (?:the )?(?:length|size|number) of|length is \d+ while limit|context the overflows",
            r"prompt 超长|超过.{0,12}(?:上下文|长度|最大)",
        ),
        "QwenLM/qwen-code #2384; rest known",
        unless=r"max_(?:completion_|output_)?tokens'? (?:is|must|value|:)|image|file|completion tokens",
    ),
    #
    # Who may ask, and for what.
    Rule(
        "auth",
        (
            (
                r"(?:incorrect|invalid|no|missing|wrong|expired|unknown|provide an|provided) (?:x-)?api[- _]?(?:key|"
                r"token|secret)"
            ),
            (
                r"api[- _]?key[^\n]{0,30}(?:not valid|invalid|not found|missing|required|expired|incorrect|disabled|"
                r"revoked)"
            ),
            r"api_key_invalid|invalid_api_key|incorrect_api_key|login fail|no auth credentials|failed_to_auth",
            r"(?:access )?token (?:is )?(?:invalid|expired)|invalid (?:username|token|bearer|authentication)",
            r"authentication[_ ]error|unauthori[sz]ed|unauthenticated",
            r"permission_error|permission_denied|access ?denied|not authori[sz]ed|unrecognizedclient|security token",
            r"expiredtoken",
            r"country, region|location is not supported|unsupported_country|无效的(?:令牌|api)|令牌|身份验证|鉴权",
        ),
        "easychen/openai-api-proxy PR #33; RooCodeInc/Roo-Code PR #9105; crmne/ruby_llm PR #431; rest known",
    ),
    Rule(
        "content_policy",
        (
            r"content_policy|content management policy|content[ _-]filter|flagged|responsibleai|prohibited_content",
            r"blockreason",
            r"violat\w+[^\n]{0,60}(?:polic|guideline|terms|rules)|usage (?:policy|policies|guidelines)|invalid_prompt",
            r"(?:blocked|rejected|refused)[^\n]{0,40}(?:safety|policy|moderation|filter|risk)",
            r"safety (?:system|settings|filter)",
            r"content exists risk|high risk|data_?inspection|inappropriate|moderation|guardrail|new_sensitive",
            r"sensitive (?:content|words|information)|敏感|违规",
        ),
        "known",
    ),
    #
    # Models that are not there.
    Rule(
        "not_found",
        (
            r"model_not_(?:found|supported|available|exist)|invalid_model|unknown_model|modelnotfound",
            r"deploymentnotfound",
            r"no endpoints found (?:for|matching)|no allowed providers|providers? have been ignored|could not route to",
            r"unexpected endpoint or method",
            r"no such model|no models? loaded|not a chat model|only supported in v1/|not a valid model",
            r"resourcenotfound",
            r"on-demand throughput|model identifier is invalid|unknown provider for model",
        ),
        "vyancharuk/nodejs-api-boilerplate #16; anomalyco/opencode #23773; kaitranntt/ccs #724; "
        "lmstudio-ai/lmstudio-bug-tracker #618 (a 200)",
    ),
    Rule(
        "not_found",
        (
            (
                r"\b(?:models?|deployments?|engine|checkpoint)\b[ /:='(]*[\w./:@ +~-]{0,80}?[')]*:? ?(?:(?:does|do|"
                r"did) not exist|(?:was |is |were |could )?not (?:be )?(?:found|exist|available)|(?:is |are )not "
                r"(?:supported|a valid|valid|served|deployed|hosted|currently available|recogni[sz]ed|installed|"
                r"active)|(?:has been|is|was) (?:decommissioned|deprecated|retired|removed|discontinued|shut ?down)|is "
                r"no longer|is unavailable|not exist)"
            ),
        ),
        "Routstr/routstr-core #554; n4ze3m/page-assist #727",
        unless=r"support(?:s|ed)? (?:tool|function|image|think)|'[a-z_]+' is not supported with",
    ),
    Rule(
        "not_found",
        (
            (
                r"(?:invalid|unknown|unrecogni[sz]ed|unsupported) (?:\w+ )?model\b(?! (?:output|behaviou?r|parameter|"
                r"setting|features?))"
            ),
            r"(?:can ?not|could not|unable to|failed to) find (?:the )?model|no available channel",
            r"无可用渠道|模型(?:不存在|未找到)",
        ),
        "hex/llm-perplexity #19; rest known",
    ),
    #
    # Trouble of the server's own, and of what stands before it.
    Rule(
        "network",
        (
            r"upstream connect error|no healthy upstream|bad gateway|gateway time-?out|error code: 5\d\d|dial tcp",
            r"econnrefused|enotfound|econnreset|connection (?:refused|reset|error)|apiconnectionerror|can not connect",
            r"fetch failed|socket hang up|name or service not known",
        ),
        "known",
        statuses=(0, *SERVER),
    ),
    Rule(
        "overloaded",
        (
            r"overloaded|engine_overloaded|(?:at|no|over) capacity|high (?:demand|traffic|load)|server (?:is )?busy",
            r"繁忙",
            r"负载",
            r"loading model|currently loading|is loading|modelnotready|try again later",
            r"temporarily (?:unavailable|out)|unavailable_error|service ?unavailable|insufficient_system_resource",
            r"server had an error|internal (?:server )?error|internalservererror|compute error|out of memory",
            r"runner process|model runner",
            r"model has crashed|model (?:is )?unloaded|failed to load model|degraded function can not be invoked",
        ),
        "brainlid/langchain #193; zendev-sh/goai PR #110; lmstudio-ai/lmstudio-bug-tracker #1347, #1492; "
        "charmbracelet/crush #2546; Alishahryar1/free-claude-code #1012; rest known",
    ),
    #
    # Something else that is not taken: a picture, a switch, a level of thinking. After models and places, because the
    # words are the same, and before the status, because servers say it with 404 and 500 too.
    Rule(
        "bad_request",
        (
            r"not support|unsupported|not enabled|not permitted|not allowed|no endpoints found|unrecogni[sz]ed",
            r"unknown (?:parameter|field|argument|name|variant)|not callable|jinja|\{%-|at row \d|json\.exception",
            r"^message: expected '",
        ),
        "ggml-org/llama.cpp, a picture to a text model; charmbracelet/crush #386; lemonade-sdk/lemonade #330",
        statuses=REQUEST,
    ),
    Rule("bad_request", (r"invalid_argument|invalid_request",), "an error's type", statuses=(200, 500)),
    Rule(
        "bad_request", (r"must (?:be|have)|should be|invalid param|is required|not be empty",), "known", statuses=(200,)
    ),
    #
    # What the status says.
    Rule("auth", statuses=(401, 403)),
    Rule("not_found", statuses=(301, 302, 303, 307, 308, 404, 405, 410)),
    Rule("context_length", statuses=(413,)),
    Rule("rate", statuses=(429,)),
    Rule("overloaded", statuses=(408, 425, 498, *SERVER)),  # 498: Groq's flex tier is full
    Rule("bad_request", statuses=(400, 402, 406, 409, 411, 412, 414, 415, 422, 424, 451, 501)),
)
