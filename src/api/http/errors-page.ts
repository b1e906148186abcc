/** Renders the table of refusals for docs/errors.md. */
import { publicCodeOf, REFUSALS, type RefusalCode, refuse } from '../../flows/errors.ts'
import { toProblem } from './problem.ts'

export function renderErrorsPage(): string {
  const codes = Object.keys(REFUSALS) as RefusalCode[]
  const rows = codes.map((code) => {
    const { type, status, title } = toProblem(refuse(code, ''))
    return `| ${status} | \`${publicCodeOf(code)}\` | ${title} | \`${type}\` |`
  })
  return [HEAD, '| status | error_code | title | type |', '|---|---|---|---|', ...rows, ''].join('\n')
}

const HEAD = `<!-- Generated from src/flows/errors.ts by \`npm run docs\`. -->

# Errors

Every error response is \`application/problem+json\` (RFC 9457).

- \`error_code\` identifies the error. Codes are stable: program against them.
- \`detail\` explains the error to a person; \`message\` is the same text. Do not parse it.
- \`details\` lists the invalid fields, each with a JSON pointer and the reason.
- \`http_request_id\` (also the header \`X-Request-Id\`) and \`trace_id\` find the request in the logs.
- \`retry_after\` (also the header \`Retry-After\`), where present, is the number of seconds to wait before a retry.
`
