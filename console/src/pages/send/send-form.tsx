/** The form to send an SMS, an email or a one-time code. */
import { Copy } from 'lucide-react'
import { type KeyboardEvent, useRef } from 'react'
import { hasScope, useSession } from '../../api/session.ts'
import { PAGES_TEXTS } from '../../texts/pages.ts'
import { SEND_TEXTS } from '../../texts/send.ts'
import { copyText } from '../../ui/copy.tsx'
import { Button, Field } from '../../ui/parts.tsx'
import { toPostCall } from '../message/curl.ts'
import { toCall } from './body.ts'
import { CodeFields, ContentFields } from './content-fields.tsx'
import { channelOf, type Draft, KINDS, type Kind, SCOPES } from './draft.ts'
import { KindTabs } from './kind-tabs.tsx'
import { Options } from './options.tsx'
import { Problems, problemUnder } from './problems.tsx'
import { RouteLine, RouteRefusal } from './route-line.tsx'
import { toPlaceholder } from './submit.ts'
import type { Sending } from './use-sending.ts'

const T = SEND_TEXTS

export type FieldsProps = Readonly<{ draft: Draft; error: unknown; change: (changes: Partial<Draft>) => void }>

type SendFormProps = Readonly<{ draft: Draft; sending: Sending; change: FieldsProps['change'] }>

export function SendForm({ draft, sending, change }: SendFormProps) {
  const form = useRef<HTMLFormElement>(null)
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    form.current?.requestSubmit()
  }
  const scope = SCOPES[draft.kind]
  const isAllowed = hasScope(useSession(), scope)
  const { error, isSending, isChecking } = sending
  const isBusy = isSending || isChecking
  const fields = { draft, error, change }
  return (
    <section className="card send-card" aria-label={PAGES_TEXTS.send}>
      <KindTabs label={T.kind} of={KINDS} value={draft.kind} nameOf={kindName} onChange={(kind) => change({ kind })} />
      <form
        ref={form}
        className="form"
        onKeyDown={onKeyDown}
        onSubmit={(event) => {
          event.preventDefault()
          if (!isBusy && isAllowed) sending.start()
        }}
      >
        {draft.kind === 'otp' && <CodeFields {...fields} />}
        <Recipient {...fields} />
        {draft.kind !== 'otp' && <ContentFields {...fields} />}
        <Options {...fields} />
        <Problems error={error} />
        {sending.refused !== undefined && <RouteRefusal routing={sending.refused} />}
        {!isAllowed && <p className="note">{T.notAllowed(scope)}</p>}
        {isAllowed && <RouteLine draft={draft} />}
        <div className="row">
          <Button kind="primary" type="submit" disabled={isBusy || !isAllowed}>
            {isChecking ? T.checking : isSending ? T.sending : T.action}
          </Button>
          <span className="soft send-keys">{T.keys}</span>
          <Button kind="plain" className="send-curl" onClick={() => void copyText(toCurl(draft))}>
            <Copy aria-hidden="true" />
            {T.curl}
          </Button>
        </div>
      </form>
    </section>
  )
}

const kindName = (kind: Kind): string => T.kinds[kind]

function toCurl(draft: Draft): string {
  const { path, body } = toCall(draft, draft.files.map(toPlaceholder))
  return toPostCall(`${location.origin}${path}`, body)
}

function Recipient({ draft, error, change }: FieldsProps) {
  const problem = problemUnder(error, '/to')
  const isSms = channelOf(draft) === 'sms'
  return (
    <Field label={T.to} problem={problem}>
      <input
        value={isSms ? draft.phone : draft.address}
        inputMode={isSms ? 'tel' : 'email'}
        placeholder={T.toHints[channelOf(draft)]}
        autoComplete="off"
        spellCheck={false}
        aria-invalid={problem !== undefined}
        onChange={({ target: { value } }) => change(isSms ? { phone: value } : { address: value })}
      />
    </Field>
  )
}
