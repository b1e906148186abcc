/** The table of refusals as a page, for docs/errors.md. */
import { REFUSALS, type RefusalCode, refuse } from '../../flows/errors.ts'
import { toProblem } from './problem.ts'

export function renderErrorsPage(): string {
  const codes = Object.keys(REFUSALS) as RefusalCode[]
  const rows = codes.map((code) => {
    const { type, status, title } = toProblem(refuse(code, ''))
    return `| ${status} | \`${code}\` | ${title} | \`${type}\` |`
  })
  return [HEAD, '| status | error_code | title | type |', '|---|---|---|---|', ...rows, ''].join('\n')
}

const HEAD = `<!-- Made from src/errors.ts by \`npm run docs\`. -->

# Errors

Every refusal is \`application/problem+json\` (RFC 9457). \`error_code\` tells what it is and never changes its
meaning; \`detail\` (and \`message\`, which is the same) tells a person why; \`details\` names each bad field with
a JSON pointer and the reason. \`http_request_id\` and \`trace_id\` find the request in the logs. \`retry_after\`, where
it is there, is how many seconds to wait before trying again.
`
