/**
 * Backs up and restores streams with their consumers, by the same JetStream calls as `nats stream backup` and
 * `nats stream restore`.
 */
import { createInbox, type Msg } from '@nats-io/transport-node'
import { type Connection, openNats } from '../../src/engines/nats/connection.ts'
import { JetStream } from '../../src/engines/nats/jetstream.ts'

export type StreamBackup = Readonly<{ name: string; config: object; state: object; chunks: readonly Uint8Array[] }>

export type StreamBackups = AsyncDisposable &
  Readonly<{
    names: () => Promise<readonly string[]>
    /** The number of messages in a stream; undefined if the stream does not exist. */
    count: (name: string) => Promise<number | undefined>
    backUp: (name: string) => Promise<StreamBackup>
    restore: (backup: StreamBackup) => Promise<void>
  }>

const CHUNK_BYTES = 128 * 1024

export async function openStreamBackups(url: string): Promise<StreamBackups> {
  const connection = await openNats({ url, name: 'backup' })
  const js = new JetStream(connection, 1)
  return {
    names: async () => (await js.api<{ streams: readonly string[] | null }>('STREAM.NAMES')).streams ?? [],
    count: (name) => count(js, name),
    backUp: (name) => backUp(connection, js, name),
    restore: (backup) => restore(connection, js, backup),
    [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
  }
}

async function count(js: JetStream, name: string): Promise<number | undefined> {
  if (!((await js.api<{ streams: readonly string[] | null }>('STREAM.NAMES')).streams ?? []).includes(name))
    return undefined
  return (await js.api<{ state: { messages: number } }>(`STREAM.INFO.${name}`)).state.messages
}

async function backUp(connection: Connection, js: JetStream, name: string): Promise<StreamBackup> {
  const [inbox, chunks] = [createInbox(), [] as Uint8Array[]]
  const { promise: complete, resolve, reject } = Promise.withResolvers<void>()
  const subscription = connection.subscribe(inbox, (msg: Msg) => {
    const code = msg.headers?.code ?? 0
    if (code >= 400) return reject(new Error(`${name} was not backed up: ${msg.headers?.description}`))
    if (msg.data.length === 0) return resolve()
    chunks.push(Uint8Array.from(msg.data))
    // The broker limits the data it sends ahead of acknowledgements.
    if (msg.reply !== undefined && msg.reply !== '') connection.send(msg.reply)
  })
  const request = { deliver_subject: inbox, chunk_size: CHUNK_BYTES }
  const { config, state } = await js.api<Pick<StreamBackup, 'config' | 'state'>>(`STREAM.SNAPSHOT.${name}`, request)
  await complete
  subscription.unsubscribe()
  return { name, config, state, chunks }
}

async function restore(connection: Connection, js: JetStream, backup: StreamBackup): Promise<void> {
  const { name, config, state, chunks } = backup
  const { deliver_subject } = await js.api<{ deliver_subject: string }>(`STREAM.RESTORE.${name}`, { config, state })
  for (const chunk of chunks) await connection.request(deliver_subject, chunk)
  const { error } = (await connection.request(deliver_subject, '')).json<{ error?: { description: string } }>()
  if (error !== undefined) throw new Error(`${name} was not restored: ${error.description}`)
}
