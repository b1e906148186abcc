/** Asks the person in front of the client before something is sent for real (MCP elicitation). */
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { McpError } from '@modelcontextprotocol/sdk/types.js'
import { ToolError } from './gateway.ts'

/** The request of the client during which it is asked. */
export type Asking = Readonly<{ requestId: string | number; signal: AbortSignal }>

/** The question is only put together if somebody is asked. */
export type Question = () => Promise<string>

/** Resolves once the person has agreed, and throws a `ToolError` otherwise. */
export type Confirm = (question: Question, asking: Asking) => Promise<void>

/** How long a person may think. */
const ANSWER_WITHIN_MS = 10 * 60_000

/** One box to tick, so that a client that accepts everything by itself sends nothing. */
const FORM = {
  type: 'object' as const,
  properties: { confirm: { type: 'boolean' as const, title: 'Yes, do this for real' } },
  required: ['confirm'],
}

/** `isAllowed`: whoever started this server has agreed to everything. */
export function confirmWith({ server }: McpServer, isAllowed: boolean): Confirm {
  return async (question, { requestId, signal }) => {
    if (isAllowed) return
    if (server.getClientCapabilities()?.elicitation?.form === undefined) throw new ToolError(CANNOT_ASK)
    const message = await question()
    const options = { timeout: ANSWER_WITHIN_MS, relatedRequestId: requestId, signal }
    const form = { mode: 'form' as const, message, requestedSchema: FORM }
    const answer = await server.elicitInput(form, options).catch((error: unknown) => {
      throw error instanceof McpError ? new ToolError(NO_ANSWER) : error
    })
    if (answer.action !== 'accept' || answer.content?.['confirm'] !== true) throw new ToolError(DECLINED)
  }
}

const CANNOT_ASK = `Nothing was sent: this needs the confirmation of a person, and this client cannot ask for it (it does not support MCP elicitation).
Use send_test_message, which reaches only the simulator. Whoever runs this server can allow sending without confirmation with \`pombo mcp --allow-send\`.`
const DECLINED = 'Nothing was sent: the person did not confirm. Do not try again unless they ask for it.'
const NO_ANSWER = `Nothing was sent: the client gave no valid answer within ${ANSWER_WITHIN_MS / 60_000} minutes.`
