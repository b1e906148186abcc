/** The fields of each kind of message, with the API's errors below them. */
import { TEXTS } from '../../texts.ts'
import { Options } from '../../ui/choices.tsx'
import { Button, Field } from '../../ui/parts.tsx'
import { problemOf } from '../../ui/problems.tsx'
import { type Channel, type Draft, newKey } from './draft.ts'
import { SegmentLine } from './segment-line.tsx'

const T = TEXTS.simulator.send

export type FieldsProps = Readonly<{ draft: Draft; error: unknown; change: (changes: Partial<Draft>) => void }>

/** The error paths that the fields show. */
export const FIELD_PATHS: readonly string[] = [
  '/to',
  '/sender_id',
  '/message',
  '/subject',
  '/html',
  '/attachments',
  '/app_name',
  '/idempotency_key',
]

export const SenderField = ({ draft, error, change }: FieldsProps) => (
  <Field label={T.sender} problem={problemOf(error, '/sender_id')}>
    <input
      value={draft.sender}
      placeholder={T.senderHint}
      autoComplete="off"
      onChange={(event) => change({ sender: event.target.value })}
    />
  </Field>
)

export function SmsFields({ draft, error, change }: FieldsProps) {
  return (
    <>
      <div>
        <Field label={T.message} problem={problemOf(error, '/message')}>
          <textarea value={draft.message} onChange={(event) => change({ message: event.target.value })} />
        </Field>
        <SegmentLine text={draft.message} />
      </div>
      <Check label={T.flash} checked={draft.isFlash} onChange={(isFlash) => change({ isFlash })} />
    </>
  )
}

export function EmailFields({ draft, error, change }: FieldsProps) {
  return (
    <>
      <Field label={T.subject} problem={problemOf(error, '/subject')}>
        <input value={draft.subject} autoComplete="off" onChange={(event) => change({ subject: event.target.value })} />
      </Field>
      <Field label={T.html} problem={problemOf(error, '/html')}>
        <textarea
          className="mono"
          spellCheck={false}
          value={draft.html}
          onChange={(event) => change({ html: event.target.value })}
        />
      </Field>
      <Field label={T.files} problem={problemOf(error, '/attachments')}>
        <input type="file" multiple onChange={(event) => change({ files: [...(event.target.files ?? [])] })} />
      </Field>
    </>
  )
}

export const CodeFields = ({ draft, error, change }: FieldsProps) => (
  <div className="send-pair">
    <Field label={T.by}>
      <select value={draft.codeBy} onChange={(event) => change({ codeBy: event.target.value as Channel })}>
        <Options of={['sms', 'email']} nameOf={(one) => TEXTS.common.channels[one]} />
      </select>
    </Field>
    <Field label={T.appName} problem={problemOf(error, '/app_name')}>
      <input value={draft.appName} autoComplete="off" onChange={(event) => change({ appName: event.target.value })} />
    </Field>
  </div>
)

export const KeyField = ({ draft, error, change }: FieldsProps) => (
  <div className="send-key">
    <Field label={T.key} problem={problemOf(error, '/idempotency_key')}>
      <input
        className="mono"
        value={draft.key}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => change({ key: event.target.value })}
      />
    </Field>
    <Button onClick={() => change({ key: newKey() })}>{T.newKey}</Button>
  </div>
)

type CheckProps = Readonly<{ label: string; checked: boolean; onChange: (checked: boolean) => void }>

export const Check = ({ label, checked, onChange }: CheckProps) => (
  <label className="send-check">
    <input type="checkbox" checked={checked} onChange={(event) => onChange(event.target.checked)} />
    <span>{label}</span>
  </label>
)
