"""The pieces that the rules for refusals are made of: who does not take what, in all the ways people say it.

They are searched in text as `refusal_bodies` makes it: small letters, one kind of quotes, no short forms.
"""

from __future__ import annotations

NOT = r"(?:not|never|no longer)(?: yet| currently| natively| presently| officially| fully| directly| been| be)*"

FIELD = r"(?:param(?:eter)?s?|arguments?|fields?|keys?|inputs?|propert(?:y|ies)|options?|features?|names?|keywords?)"

TAKEN = (
    r"(?:support(?:ed)?|enabled|available|allowed|permitted|implemented|accepted|compatible|possible|configured|usable"
    r"|used (?=(?:with|by|for|on|in) (?:this|the) (?:\w+ )?(?:model|endpoint|deployment)\b)"
    r"|recogni[sz]ed|(?:a )?(?:valid|supported|recogni[sz]ed|known) (?:param|field|arg|prop|input|key)\w*)"
)

TURNED_DOWN = (
    r"(?:(?:is|are|was|were|be|has|have|does|do|can|will|could|may|must) )?(?:also |still |currently )?"
    rf"(?:{NOT} {TAKEN}|(?:an )?unsupported|disabled|unavailable|turned off|unimplemented)\b"
)
"""What is said behind the thing that is not taken: "… are not supported"."""

DOES_NOT = (
    rf"\b(?:{NOT}(?: able to| capable of| trained (?:for|on))?|unable to|incapable of|fails? to|without|lacks?|no|"
    r"missing)(?: (?:the )?(?:support|accept|allow|have|handl|tak|implement|provid|us|do|perform|offer|permit|includ|"
    r"expos|enabl|recogni[sz]|understand)(?:e|es|s|ed|ing)?\b(?:(?<=support) for| any)?|(?<=trained for)|"
    r"(?<=trained on)|(?<=capable of))"
)
"""What is said before it: "does not support …"."""

# the tools of a request ---------------------------------------------------------------------------------------------

TOOLS = (
    r"(?:(?:tool|function)s?/(?:tool|function)s?(?: calling| calls?| use)?|tools|tool[ _-](?:use|usage|calling|support|"
    r"integration)|tool[ -]calls?|functions|function[ _-](?:calling|use|tools)|function[ -]calls?|"
    r"functioncall(?:s|ing)?|toolcalling)"
)
"""The tools of a request as such; not one tool, and not `tool_choice`, `tool_calls`, `parallel_tool_calls` …"""

BEFORE_TOOLS = r"(?<![\w.\[/$-])" + "".join(
    f"(?<!{word} )"
    for word in (
        *(
            "parallel",
            "built-in",
            "builtin",
            "built in",
            "custom",
            "forced",
            "hosted",
            "search",
            "server",
            "server-side",
        ),
        *("these", "on", "following", "some", "multiple", "strict", "mcp", "nested", "many", "more"),
    )
)
"""Nothing here that makes them a kind of tools."""

AFTER_TOOLS = (
    r"(?!'?(?:[\w\[]|[.-]\w))(?!'? ?(?:choice|type|name|result|message|role|response|output|id\b|ids\b|schema|block|"
    r"definition|history|format|argument|with dots|parser|list|array|param\w*\.))"
)
"""Nothing here that makes them another thing."""

NOUN = (
    r"(?:'? (?:param(?:eter)?s?|arguments?|fields?|options?|features?|property|key|support|functionality|capability|"
    r"capabilities|requests?))?"
)

ALSO = r"(?:'?,? (?:and|or|/) '?(?:tool|function)s?(?:[ _-](?:choice|calling|calls?|use))?)?"

WHERE = (
    r"(?:'? (?:(?:specified|sent|given|provided|passed|used|included) )?(?:for|in|with|by|on|via|at|when|while|using|"
    r"through|from|to|under|of)\b(?:[^\n.;,]|[.,;:](?=\S)){1,80}?)?"
)
"""Where they are not taken: "for this model", "with tide.7b-v0.3 on this endpoint"."""

FILL = (
    r"(?:(?:the|any|following|specified|given|requested|native|native-style|openai|openai-style|external|use of|using|"
    rf"user-defined|client-side|both|either|{FIELD}:?|'tool_choice',?|tool_choice,?|and|or) |[\['(]){{0,5}}"
)
"""What may stand between "does not support" and the tools."""

COMBINED = (
    r"(?:together|combin\w+|simultaneous\w*|at the same time|along ?side|along with|mutually|in conjunction|"
    r"with (?:a )?(?:response|json|structured|reasoning|thinking|'?response_format|'?reasoning_effort|function calling|"
    r"google|search|images?|audio|vision|strict|prefill|citations|documents|logprobs|grammar)|"
    r"when (?:using |')?(?:response|json|thinking|reasoning|structured|streaming is))"
)
"""A thing that is refused only beside another one."""

OTHERWISE = (
    r"(?:temporar|try again later|right now|too many requests|high demand|overload|moment|capacity|organi[sz]ation|"
    r"\bplan\b|subscription|tier\b|billing|upgrade)"
)
"""Another reason than the model for not taking tools."""

# the definition of a tool -------------------------------------------------------------------------------------------

A_TOOL = r"\b(?:tools?|functions?|function_?declarations|toolspec|toolconfig)\b"

PARAMETERS = r"(?:parameters(?:_?json_?schema)?|input_?schema|inputschema)"

KEYWORD = (
    r"(?:\$ref|\$defs|\$schema|\$id|additionalproperties|patternproperties|propertynames|unevaluatedproperties|"
    r"exclusiveminimum|exclusivemaximum|prefixitems|anyof|oneof|allof|any_of|one_of|all_of)\b"
)
"""Words of JSON Schema that mean nothing else."""

COMPLAINT = (
    r"(?:not|never|unsupported|unknown|unrecogni[sz]ed|invalid|unexpected|must|should|can only|only|missing|required|"
    r"forbidden|failed|fails|could|extra|undefined|non-existent|empty)\b"
)
