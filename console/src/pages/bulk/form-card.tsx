/** What every message of the file has in common. */
import { useMutation } from '@tanstack/react-query'
import { hasScope, useSession } from '../../api/session.ts'
import { BULK_TEXTS } from '../../texts/bulk.ts'
import { COMMON_TEXTS } from '../../texts/common.ts'
import { DescribedField } from '../../ui/described-field.tsx'
import { Card } from '../../ui/parts.tsx'
import { OptionalSelect, Select } from '../../ui/select.tsx'
import { showErrorToast } from '../../ui/toast.tsx'
import { SCOPES } from '../send/draft.ts'
import { chooseTemplate, useTemplates } from '../send/templates.ts'
import type { Form } from './mapping.ts'
import type { BulkDraft, ChangeBulk } from './use-draft.ts'

const T = BULK_TEXTS

type FormCardProps = Readonly<{ draft: BulkDraft; form: Form; change: ChangeBulk }>

export function FormCard({ draft, form, change }: FormCardProps) {
  const session = useSession()
  const channels = (['sms', 'email'] as const).filter((one) => hasScope(session, SCOPES[one]))
  return (
    <Card title={T.forAll}>
      <div className="bulk-fields">
        <Select
          label={T.channel}
          value={draft.channel}
          of={channels}
          nameOf={(one) => COMMON_TEXTS.channels[one]}
          onChange={(channel) => change({ channel })}
        />
        <TemplateSelect draft={draft} form={form} change={change} />
        <BulkText
          label={T.sender}
          about={T.senderAbout}
          value={draft.sender}
          onChange={(sender) => change({ sender })}
        />
        <BulkText label={T.tag} value={draft.tag} onChange={(tag) => change({ tag })} />
        <BulkText
          label={T.name}
          about={T.nameAbout}
          className="bulk-name"
          value={draft.name}
          onChange={(name) => change({ name })}
        />
      </div>
    </Card>
  )
}

function TemplateSelect({ draft, change }: FormCardProps) {
  const templates = useTemplates(draft.channel) ?? []
  const choose = useMutation({
    mutationFn: chooseTemplate,
    onSuccess: (template) => change({ template }),
    onError: showErrorToast,
  })
  const keyOf = ({ name, locale }: Readonly<{ name: string; locale: string }>): string => `${name} (${locale})`
  return (
    <OptionalSelect
      label={T.template}
      value={draft.template && keyOf(draft.template)}
      of={templates.map(keyOf)}
      none={T.noTemplate}
      onChange={(key) => {
        const found = templates.find((one) => keyOf(one) === key)
        if (found === undefined) change({ template: undefined })
        else choose.mutate(found)
      }}
    />
  )
}

type BulkTextProps = Readonly<{ label: string; value: string; about?: string; className?: string }> &
  Readonly<{ onChange: (value: string) => void }>

const BulkText = ({ label, value, about, className = '', onChange }: BulkTextProps) => (
  <DescribedField label={label} about={about} className={className}>
    {(describedBy) => (
      <input
        value={value}
        autoComplete="off"
        spellCheck={false}
        aria-describedby={describedBy}
        onChange={(event) => onChange(event.target.value)}
      />
    )}
  </DescribedField>
)
