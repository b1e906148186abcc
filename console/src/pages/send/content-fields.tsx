/** What is sent: a text of its own or a template, and who sends it. */
import { COMMON_TEXTS } from '../../texts/common.ts'
import { SEND_TEXTS } from '../../texts/send.ts'
import { DescribedField } from '../../ui/described-field.tsx'
import { FileField } from '../../ui/file-field.tsx'
import { Field } from '../../ui/parts.tsx'
import { Select } from '../../ui/select.tsx'
import type { Draft } from './draft.ts'
import { templateOf } from './draft.ts'
import { problemUnder } from './problems.tsx'
import { SegmentLine } from './segment-line.tsx'
import type { FieldsProps } from './send-form.tsx'
import { TemplateChoice, TemplateFields } from './template-fields.tsx'

const T = SEND_TEXTS

export function ContentFields(fields: FieldsProps) {
  const { draft, change } = fields
  const isSms = draft.kind === 'sms'
  return (
    <>
      {isSms ? (
        <TextField {...fields} name="sender" path="/sender_id" label={T.sender} hint={T.senderHint} />
      ) : (
        <TextField {...fields} name="from" path="/from" label={T.from} hint={T.fromHint} />
      )}
      <TemplateChoice {...fields} channel={isSms ? 'sms' : 'email'} />
      {templateOf(draft) !== undefined ? (
        <TemplateFields {...fields} />
      ) : isSms ? (
        <SmsText {...fields} />
      ) : (
        <EmailText {...fields} />
      )}
      {isSms && <Check label={T.flash} checked={draft.isFlash} onChange={(isFlash) => change({ isFlash })} />}
      {!isSms && (
        <FileField
          label={T.files}
          multiple
          files={draft.files}
          problem={problemUnder(fields.error, '/attachments')}
          onChange={(files) => change({ files })}
        />
      )}
    </>
  )
}

const SmsText = ({ draft, error, change }: FieldsProps) => (
  <div>
    <Field label={T.message} problem={problemUnder(error, '/message')}>
      <textarea value={draft.message} onChange={(event) => change({ message: event.target.value })} />
    </Field>
    <SegmentLine text={draft.message} />
  </div>
)

const EmailText = ({ draft, error, change }: FieldsProps) => (
  <>
    <Field label={T.subject} problem={problemUnder(error, '/subject')}>
      <input value={draft.subject} autoComplete="off" onChange={(event) => change({ subject: event.target.value })} />
    </Field>
    <Field label={T.html} problem={problemUnder(error, '/html')}>
      <textarea
        className="mono send-html"
        spellCheck={false}
        value={draft.html}
        onChange={(event) => change({ html: event.target.value })}
      />
    </Field>
  </>
)

export const CodeFields = (fields: FieldsProps) => (
  <div className="fields two">
    <Select
      label={T.by}
      value={fields.draft.codeBy}
      of={['sms', 'email'] as const}
      nameOf={(one) => COMMON_TEXTS.channels[one]}
      onChange={(codeBy) => fields.change({ codeBy })}
    />
    <TextField {...fields} name="appName" path="/app_name" label={T.appName} hint={T.appNameHint} />
  </div>
)

type TextName = { [Name in keyof Draft]: Draft[Name] extends string ? Name : never }[keyof Draft]

type TextFieldProps = FieldsProps &
  Readonly<{ name: TextName; path: string; label: string; hint?: string; about?: string; isCode?: boolean }>

export const TextField = ({ draft, error, change, name, path, label, hint, about, isCode = false }: TextFieldProps) => (
  <DescribedField label={label} about={about} problem={problemUnder(error, path)}>
    {(describedBy) => (
      <input
        className={isCode ? 'mono' : ''}
        value={draft[name]}
        placeholder={hint}
        aria-describedby={describedBy}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => change({ [name]: event.target.value })}
      />
    )}
  </DescribedField>
)

type CheckProps = Readonly<{ label: string; checked: boolean; onChange: (checked: boolean) => void }>

const Check = ({ label, checked, onChange }: CheckProps) => (
  <label className="check send-check">
    <input type="checkbox" checked={checked} onChange={(event) => onChange(event.target.checked)} />
    <span>{label}</span>
  </label>
)
