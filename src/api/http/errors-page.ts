/** Renders docs/errors.md: the table of refusals, and that of the error codes of messages. */
import { CLASS_TEXTS } from '../../domain/message/error-advice.ts'
import { ERROR_CATEGORIES } from '../../domain/message/error-category.ts'
import { ERROR_TEXTS } from '../../domain/message/error-texts.ts'
import { publicCodeOf, REFUSALS, type RefusalCode, refuse } from '../../flows/errors.ts'
import { toProblem } from './problem.ts'

export function renderErrorsPage(): string {
  const codes = Object.keys(REFUSALS) as RefusalCode[]
  const rows = codes.map((code) => {
    const { type, status, title } = toProblem(refuse(code, ''))
    return `| ${status} | \`${publicCodeOf(code)}\` | ${title} | \`${type}\` |`
  })
  const refusals = ['| status | error_code | title | type |', '|---|---|---|---|', ...rows]
  const listed = Object.entries(ERROR_TEXTS).toSorted(([one], [other]) => (one < other ? -1 : 1))
  const messages = listed.map(([code, { meaning, advice }]) => `| \`${code}\` | ${meaning} | ${advice} |`)
  const classes = ERROR_CATEGORIES.map((name) => [name, CLASS_TEXTS[name]] as const).map(
    ([name, { meaning, advice }]) => `| \`${name}\` | ${meaning} | ${advice} |`,
  )
  return [
    ...[HEAD, ...refusals, ''],
    ...[OF_MESSAGES, '| code | meaning | what to do |', '|---|---|---|', ...messages, ''],
    ...[OTHERS, '| category | meaning | what to do |', '|---|---|---|', ...classes, ''],
  ].join('\n')
}

const HEAD = `<!-- Generated from src/flows/errors.ts and src/domain/message/error-texts.ts by \`npm run docs\`. -->

# Errors

Every error response is \`application/problem+json\` (RFC 9457).

- \`error_code\` identifies the error. Codes are stable: program against them.
- \`detail\` explains the error to a person; \`message\` is the same text. Do not parse it.
- \`details\` lists the invalid fields, each with a JSON pointer and the reason.
- \`http_request_id\` (also the header \`X-Request-Id\`) and \`trace_id\` find the request in the logs.
- \`retry_after\` (also the header \`Retry-After\`), where present, is the number of seconds to wait before a retry.
`

const OF_MESSAGES = `## Errors of messages

Why a message failed, or why its last attempt did: \`error_code\` of a message and \`error.code\` of
\`GET /v1/messages/{id}\`, which also has the texts below as \`error.meaning\` and \`error.advice\`.
`

const OTHERS = `Codes that are not listed are a provider's own, such as \`TWILIO_30999\`, or HTTP statuses. They are explained by their
\`error.category\`.
`
