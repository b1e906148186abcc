/** Sends a draft. */
import { api, unwrap } from '../../api/client.ts'
import { type Attachment, toCall } from './body.ts'
import type { Draft } from './draft.ts'

/** The part of the response that is shown. */
export type Accepted = Readonly<{ id: string; challengeId?: string; segments?: number; isReplayed: boolean }>

type Answer = Readonly<{ id?: string; message_id?: string; challenge_id?: string; segments?: number }>

export async function submit(draft: Draft): Promise<Accepted> {
  const { path, body } = toCall(draft, await Promise.all(draft.files.map(toAttachment)))
  // The three calls differ in their bodies only, which `toCall` builds.
  const result = await api.POST(path as '/v1/sms/send', { body: body as never })
  const { id, message_id, challenge_id, segments }: Answer = await unwrap(result)
  return {
    id: id ?? message_id ?? '',
    ...(challenge_id === undefined ? {} : { challengeId: challenge_id }),
    ...(segments === undefined ? {} : { segments }),
    isReplayed: result.response.headers.get('idempotent-replayed') === 'true',
  }
}

async function toAttachment(file: File): Promise<Attachment> {
  return { ...toNamed(file), content: toBase64(new Uint8Array(await file.arrayBuffer())) }
}

/** Stands for a file in what is copied. */
export const toPlaceholder = (file: File): Attachment => ({ ...toNamed(file), content: `<base64 of ${file.name}>` })

const toNamed = ({ name, type }: File) => ({
  filename: name,
  content_type: type === '' ? 'application/octet-stream' : type,
})

const toBase64 = (bytes: Uint8Array): string => btoa(bytes.reduce((text, byte) => text + String.fromCharCode(byte), ''))
