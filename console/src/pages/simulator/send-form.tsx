/** The form to send an SMS, an email or a one-time code. */
import { type KeyboardEvent, useRef } from 'react'
import { hasScope, useSession } from '../../api/session.ts'
import { TEXTS } from '../../texts.ts'
import { Button, Card, Field } from '../../ui/parts.tsx'
import { FormFailure, problemOf } from '../../ui/problems.tsx'
import { channelOf, type Draft, KINDS, recipientOf, SCOPES, withRecipient } from './draft.ts'
import {
  Check,
  CodeFields,
  EmailFields,
  FIELD_PATHS,
  type FieldsProps,
  KeyField,
  SenderField,
  SmsFields,
} from './send-fields.tsx'

const T = TEXTS.simulator.send

type SendFormProps = FieldsProps &
  Readonly<{ isSending: boolean; keepsKey: boolean; onKeepKey: (keeps: boolean) => void; onSend: () => void }>

export function SendForm({ isSending, keepsKey, onKeepKey, onSend, ...fields }: SendFormProps) {
  const form = useRef<HTMLFormElement>(null)
  const { draft, error } = fields
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    form.current?.requestSubmit()
  }
  const scope = SCOPES[draft.kind]
  const isAllowed = hasScope(useSession(), scope)
  return (
    <Card title={T.title}>
      <form
        ref={form}
        className="form"
        onKeyDown={onKeyDown}
        onSubmit={(event) => {
          event.preventDefault()
          if (!isSending && isAllowed) onSend()
        }}
      >
        <KindChoice {...fields} />
        <Fields {...fields} />
        <KeyField {...fields} />
        <Check label={T.keepKey} checked={keepsKey} onChange={onKeepKey} />
        <FormFailure error={error} fields={FIELD_PATHS} />
        {!isAllowed && <p className="note">{T.notAllowed(scope)}</p>}
        <div className="row">
          <Button kind="primary" type="submit" disabled={isSending || !isAllowed}>
            {isSending ? T.sending : T.action}
          </Button>
          <span className="soft">{T.keys}</span>
        </div>
      </form>
    </Card>
  )
}

function Fields(fields: FieldsProps) {
  const { kind } = fields.draft
  if (kind === 'sms') {
    return (
      <>
        <div className="send-pair">
          <Recipient {...fields} />
          <SenderField {...fields} />
        </div>
        <SmsFields {...fields} />
      </>
    )
  }
  return (
    <>
      <Recipient {...fields} />
      {kind === 'email' ? <EmailFields {...fields} /> : <CodeFields {...fields} />}
    </>
  )
}

const KindChoice = ({ draft, change }: FieldsProps) => (
  <fieldset className="kinds">
    <legend className="visually-hidden">{T.kind}</legend>
    {KINDS.map((kind) => (
      <label key={kind}>
        <input type="radio" name="kind" checked={draft.kind === kind} onChange={() => change({ kind })} />
        <span>{T.kinds[kind]}</span>
      </label>
    ))}
  </fieldset>
)

function Recipient({ draft, error, change }: FieldsProps) {
  const problem = problemOf(error, '/to')
  return (
    <Field label={T.to} problem={problem}>
      <input
        value={recipientOf(draft)}
        inputMode={channelOf(draft) === 'sms' ? 'tel' : 'email'}
        autoComplete="off"
        spellCheck={false}
        aria-invalid={problem !== undefined}
        onChange={(event) => change(withRecipient(draft, event.target.value) satisfies Draft)}
      />
    </Field>
  )
}
