/** Prompts: what people ask most, as a command of their client. */
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { z } from 'zod'

export function registerPrompts(server: McpServer): void {
  server.registerPrompt(
    'why_not_delivered',
    {
      title: 'Why was it not delivered?',
      description: 'Finds a message and explains what happened to it.',
      argsSchema: { message: z.string().max(998).describe('Its id, or what to find it by.') },
    },
    ({ message }) => ({
      messages: [
        {
          role: 'user',
          content: {
            type: 'text',
            text: `Why was this message not delivered, and what can I do about it?\nMessage: ${JSON.stringify(message)}\nFind it with find_messages unless this is its full id, and then call explain_message. If it concerns more than one message, look at get_provider_health too.`,
          },
        },
      ],
    }),
  )
}
