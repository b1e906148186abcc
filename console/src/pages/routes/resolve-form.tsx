/** The form of the routing preview, kept in the URL. */
import { type FormEvent, useEffect, useState } from 'react'
import { COMMON_TEXTS } from '../../texts/common.ts'
import { ROUTES_TEXTS } from '../../texts/routes.ts'
import { Button, Field } from '../../ui/parts.tsx'
import { problemOf } from '../../ui/problems.tsx'
import { OptionalSelect, Select } from '../../ui/select.tsx'
import type { ResolveRequest } from './data.ts'

const T = ROUTES_TEXTS.resolve

export const RESOLVE_PARAMS = ['to', 'channel', 'type', 'sender', 'message_id'] as const
type ResolveParams = Partial<Record<(typeof RESOLVE_PARAMS)[number], string>>

/** Undefined without a recipient, or with a masked one. Without a channel, an @ means email. */
export function toResolveRequest({ to, channel, type, sender, message_id }: ResolveParams): ResolveRequest | undefined {
  if (to === undefined || to.includes('*')) return undefined
  const isMail = channel === 'email' || (channel === undefined && to.includes('@'))
  return {
    // An unescaped + in a URL decodes to a space.
    to: to.replace(/^ /, '+'),
    channel: isMail ? 'email' : 'sms',
    ...(type === 'flash_sms' && !isMail ? { type } : {}),
    ...(sender === undefined ? {} : { sender_id: sender }),
    ...(message_id === undefined ? {} : { message_id }),
  }
}

type FormProps = Readonly<{ params: ResolveParams; error: unknown; onResolve: (params: ResolveParams) => void }>

const CHANNELS = ['sms', 'email'] as const
const EMPTY = { to: '', channel: '', type: '', sender: '', message_id: '' }

export function ResolveForm({ params, error, onResolve }: FormProps) {
  const [draft, setDraft] = useState({ ...EMPTY, ...params })
  const address = JSON.stringify(params)
  useEffect(() => setDraft({ ...EMPTY, ...(JSON.parse(address) as ResolveParams) }), [address])
  const field = (name: (typeof RESOLVE_PARAMS)[number]) => ({
    value: draft[name],
    onChange: (event: { target: { value: string } }) => setDraft({ ...draft, [name]: event.target.value }),
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    onResolve({ ...draft, to: draft.to.trim() })
  }
  const masked = draft.to.includes('*') ? T.masked : undefined
  const isMail = toResolveRequest({ ...params, to: draft.to })?.channel === 'email'
  return (
    <form className="filters resolve-form" onSubmit={submit}>
      <Field label={T.to} className="resolve-to" problem={masked ?? problemOf(error, '/to')}>
        <input {...field('to')} required autoComplete="off" spellCheck={false} placeholder={T.toHint} />
      </Field>
      <OptionalSelect
        label={T.channel}
        value={CHANNELS.find((one) => one === draft.channel)}
        none={T.byAddress}
        of={CHANNELS}
        nameOf={(one) => COMMON_TEXTS.channels[one]}
        onChange={(channel) => setDraft({ ...draft, channel: channel ?? '' })}
      />
      <Select
        label={T.type}
        value={draft.type === 'flash_sms' ? 'flash_sms' : 'sms'}
        of={['sms', 'flash_sms']}
        nameOf={(one) => ROUTES_TEXTS.kinds[one]}
        problem={problemOf(error, '/type')}
        disabled={isMail}
        onChange={(type) => setDraft({ ...draft, type: type === 'sms' ? '' : type })}
      />
      <Field label={T.sender} problem={problemOf(error, '/sender_id')}>
        <input {...field('sender')} autoComplete="off" spellCheck={false} placeholder={T.optional} />
      </Field>
      <Field label={T.message} problem={problemOf(error, '/message_id')}>
        <input {...field('message_id')} autoComplete="off" spellCheck={false} placeholder={T.messageHint} />
      </Field>
      <Button type="submit" kind="primary">
        {T.action}
      </Button>
    </form>
  )
}
