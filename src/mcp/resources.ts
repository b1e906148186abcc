/** A message and its timeline as resources, which a person can attach to a conversation. */
import { type McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js'
import type { ReadResourceResult } from '@modelcontextprotocol/sdk/types.js'
import { z } from 'zod'
import { ToolError } from './gateway.ts'
import { toVisibleDeep } from './plain-text.ts'
import type { Context } from './tool.ts'
import { inMode, MessageIdInput } from './tools/inputs.ts'
import { EventView, MessageDetailsView, MessagePageView } from './tools/message-views.ts'

const MIME = 'application/json'
/** Of 200 events each: more than almost any message has. */
const MOST_PAGES = 10

/** Messages in test mode are kept apart from live ones, so their URIs are too. */
const PLACES = [
  { name: 'message', title: 'Message', at: 'pombo://messages/{id}', mode: 'live' },
  { name: 'test-message', title: 'Message in test mode', at: 'pombo://test/messages/{id}', mode: 'test' },
] as const

export function registerResources(server: McpServer, context: Context): void {
  for (const { name, title, at, mode } of PLACES) {
    const place = { ...context, mode }
    const options = { list: undefined, complete: { id: (typed: string) => completeId(place, typed) } }
    const details = { title, description: 'Its state and newest events.', mimeType: MIME }
    server.registerResource(name, new ResourceTemplate(at, options), details, async (uri, { id }) =>
      toContents(uri, await readMessage(place, readId(id))),
    )
    const timeline = { title: `${title}: timeline`, description: 'All its events, oldest first.', mimeType: MIME }
    server.registerResource(
      `${name}-timeline`,
      new ResourceTemplate(`${at}/timeline`, options),
      timeline,
      async (uri, { id }) => toContents(uri, await readTimeline(place, readId(id))),
    )
  }
}

type Place = Pick<Context, 'gateway'> & Readonly<{ mode: 'live' | 'test' }>

const toContents = ({ href: uri }: URL, data: unknown): ReadResourceResult => ({
  contents: [{ uri, mimeType: MIME, text: JSON.stringify(data, undefined, 2) }],
})

function readId(given: string | readonly string[] | undefined): string {
  const { data, error } = MessageIdInput.safeParse(given)
  if (error !== undefined) throw new ToolError('The URI must name the full id of a message.')
  return data
}

async function readMessage({ gateway, mode }: Place, id: string): Promise<unknown> {
  const { body } = await gateway('GET', `/v1/messages/${id}`, inMode(mode))
  return MessageDetailsView.parse(toVisibleDeep(body))
}

const Page = z.object({
  id: z.string(),
  status: z.string(),
  events: z.array(EventView),
  events_total: z.number(),
  events_next_cursor: z.string().nullable(),
})

/** Pages lead from the newest events to the oldest. */
async function readTimeline({ gateway, mode }: Place, id: string): Promise<unknown> {
  const pages: z.output<typeof Page>[] = []
  let cursor: string | undefined
  do {
    const { body } = await gateway('GET', `/v1/messages/${id}`, {
      query: { events_cursor: cursor },
      ...inMode(mode),
    })
    const page = Page.parse(toVisibleDeep(body))
    pages.unshift(page)
    cursor = page.events_next_cursor ?? undefined
  } while (cursor !== undefined && pages.length < MOST_PAGES)
  const { status, events_total } = pages.at(-1) ?? { status: 'unknown', events_total: 0 }
  return { id, status, events_total, events: pages.flatMap(({ events }) => events) }
}

/** Ids are found by eight of their first digits; before that the newest are offered. */
const ENOUGH = 8
const OFFERED = '20'

async function completeId({ gateway, mode }: Place, typed: string): Promise<string[]> {
  const q = typed.length >= ENOUGH ? `id:${typed.replaceAll(/[^0-9a-f-]/gi, '')}` : undefined
  const { body } = await gateway('GET', '/v1/messages', { query: { q, limit: OFFERED }, ...inMode(mode) })
  const ids = MessagePageView.parse(body).items.map(({ id }) => id)
  return ids.filter((id) => id.startsWith(typed.toLowerCase()))
}
