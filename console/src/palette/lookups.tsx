/** What the palette finds through the API: messages, and templates, recipients, providers and endpoints by name. */
import { useQuery } from '@tanstack/react-query'
import { Activity, BookUser, FileText, Inbox, MessageCircle, Webhook } from 'lucide-react'
import { api, type Message, type MessagePage, unwrap } from '../api/client.ts'
import { hasScope, type Session } from '../api/session.ts'
import { contentOf } from '../pages/messages/columns.ts'
import { toFoundBy } from '../pages/messages/summary.ts'
import { PALETTE_TEXTS } from '../texts/palette.ts'
import { ChannelIcon } from '../ui/channel-icon.tsx'
import { Status } from '../ui/parts.tsx'
import { toRecipient, toShortId } from '../ui/recipient.ts'
import { Age } from '../ui/time.tsx'
import { type Entry, find, type Group } from './entry.ts'
import { toMessageId, toSearchText } from './message-query.ts'

const T = PALETTE_TEXTS

const [SHORTEST, MESSAGES, OF_A_KIND] = [2, 8, 4]
/** Long enough that typing on does not fetch the same list again. */
const staleTime = 30_000

export type Lookup = Readonly<{ groups: readonly Group[]; isSearching: boolean; isFailed: boolean }>

type Asking = Readonly<{ text: string; session: Session; go: (path: string) => void }>

/** `text` is debounced; a search that is no longer wanted is canceled. */
export function useLookup(asking: Asking): Lookup {
  const text = asking.text.trim()
  const enabled = text.length >= SHORTEST && hasScope(asking.session, 'messages:read')
  const messages = useMessages(text, enabled)
  const named = useNamed({ ...asking, text }, enabled)
  if (!enabled) return { groups: [], isSearching: false, isFailed: false }
  return {
    groups: [toMessageGroup(text, messages, asking.go), ...named].filter(({ entries }) => entries.length > 0),
    isSearching: messages.isFetching,
    isFailed: messages.isError,
  }
}

const useMessages = (text: string, enabled: boolean) =>
  useQuery({
    queryKey: ['palette', 'messages', text],
    queryFn: ({ signal }): Promise<MessagePage> =>
      unwrap(api.GET('/v1/messages', { params: { query: { q: toSearchText(text), limit: MESSAGES } }, signal })),
    enabled,
    staleTime: 2_000,
  })

type Answer = Readonly<{ data: MessagePage | undefined; isPending: boolean }>

/** Empty until the search is answered: what is below the messages must not be in focus before they are there. */
function toMessageGroup(text: string, { data: page, isPending }: Answer, go: (path: string) => void): Group {
  if (isPending) return { id: 'messages', name: T.groups.messages, entries: [] }
  const id = toMessageId(text)
  const found = (page?.items ?? []).map((message) => toMessageEntry(message, go))
  const byId = id === undefined || found.length > 0 ? [] : [toIdEntry(id, go)]
  const note = page?.search ? toFoundBy(page.search) : undefined
  return { id: 'messages', name: T.groups.messages, note, entries: [...found, ...byId, toListEntry(text, go)] }
}

const toMessageEntry = (message: Message, go: (path: string) => void): Entry => ({
  id: `message ${message.id}`,
  name: toRecipient(message),
  icon: <ChannelIcon channel={message.channel} />,
  about: (
    <>
      <span className="palette-content">{contentOf(message) ?? <code>{toShortId(message.id)}</code>}</span>
      <Status status={message.status} />
      <Age at={message.created_at} />
    </>
  ),
  run: () => go(`/messages/${message.id}`),
})

const toIdEntry = (id: string, go: (path: string) => void): Entry => ({
  id: `message ${id}`,
  name: T.openMessage(toShortId(id)),
  icon: <MessageCircle aria-hidden="true" />,
  run: () => go(`/messages/${id}`),
})

const toListEntry = (text: string, go: (path: string) => void): Entry => ({
  id: 'all messages',
  name: T.allMessages(text),
  icon: <Inbox aria-hidden="true" />,
  run: () => go(`/messages?${new URLSearchParams({ q: toSearchText(text) })}`),
})

/** These lists are short, except for recipients, which the API searches. A list that fails is left out. */
function useNamed({ text, go }: Asking, enabled: boolean): readonly Group[] {
  const templates = useQuery({
    queryKey: ['palette', 'templates'],
    queryFn: () => unwrap(api.GET('/v1/templates', { params: { query: { limit: 200 } } })),
    enabled,
    staleTime,
  })
  const recipients = useQuery({
    queryKey: ['palette', 'recipients', text],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/v1/recipients', { params: { query: { q: text.slice(0, 200), limit: OF_A_KIND } }, signal })),
    enabled,
    staleTime,
  })
  const providers = useQuery({
    queryKey: ['providers'],
    queryFn: () => unwrap(api.GET('/v1/providers')),
    enabled,
    staleTime,
  })
  const endpoints = useQuery({
    queryKey: ['palette', 'endpoints'],
    queryFn: () => unwrap(api.GET('/v1/endpoints')),
    enabled,
    staleTime,
  })
  const group = (id: keyof typeof T.groups, entries: readonly Entry[]): Group => ({ id, name: T.groups[id], entries })
  const named = (kind: string, names: Iterable<string>, icon: Entry['icon'], path: string): readonly Entry[] =>
    find(
      text,
      [...names].map((name) => ({
        id: `${kind} ${name}`,
        name,
        icon,
        run: () => go(`${path}${encodeURIComponent(name)}`),
      })),
    ).slice(0, OF_A_KIND)
  const templateNames = new Set(templates.data?.items.map(({ name }) => name))
  const providerNames = (providers.data?.items ?? []).map(({ name }) => name)
  return [
    group('templates', named('template', templateNames, <FileText aria-hidden="true" />, '/templates?name=')),
    group('recipients', toRecipients(recipients.data?.items ?? [], go)),
    group('providers', named('provider', providerNames, <Activity aria-hidden="true" />, '/messages?provider=')),
    group('endpoints', toEndpoints(text, endpoints.data?.items ?? [], go)),
  ]
}

type Person = Readonly<{ id: string; name: string | null; external_id: string | null }>

/** Without a name or an id of yours there is nothing to recognize a recipient by but the address. */
const toRecipients = (people: readonly Person[], go: (path: string) => void): readonly Entry[] =>
  people.flatMap(({ id, name, external_id }) => {
    const shown = name ?? external_id
    if (shown === null) return []
    return {
      id: `recipient ${id}`,
      name: shown,
      icon: <BookUser aria-hidden="true" />,
      run: () => go(`/recipients?q=${encodeURIComponent(shown)}`),
    }
  })

const toEndpoints = (
  text: string,
  endpoints: readonly Readonly<{ id: string; url: string }>[],
  go: (path: string) => void,
): readonly Entry[] =>
  find(
    text,
    endpoints.map(({ id, url }) => ({
      id: `endpoint ${id}`,
      name: id,
      about: url,
      words: url,
      icon: <Webhook aria-hidden="true" />,
      run: () => go(`/webhooks?endpoint=${encodeURIComponent(id)}`),
    })),
  ).slice(0, OF_A_KIND)
