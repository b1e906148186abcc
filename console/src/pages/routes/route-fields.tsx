/** The fields of a route: its conditions, and what happens on failure. */
import type { ChangeEvent } from 'react'
import '../../styles/forms.css'
import { COMMON_TEXTS } from '../../texts/common.ts'
import { ROUTES_TEXTS } from '../../texts/routes.ts'
import { Field } from '../../ui/parts.tsx'
import { problemOf } from '../../ui/problems.tsx'
import { Select } from '../../ui/select.tsx'
import type { Draft } from './route-draft.ts'

const T = ROUTES_TEXTS.form

type FieldsProps = Readonly<{ draft: Draft; error: unknown; onChange: (changes: Partial<Draft>) => void }>
type Changed = ChangeEvent<HTMLInputElement>

const bind = ({ draft, onChange }: FieldsProps, name: keyof Draft) => ({
  value: String(draft[name]),
  onChange: ({ target }: Changed) => onChange({ [name]: target.value }),
})

export function ConditionFields({ isNew, ...fields }: FieldsProps & Readonly<{ isNew: boolean }>) {
  const { draft, error, onChange } = fields
  const isMail = draft.channel === 'email'
  return (
    <fieldset className="fields two">
      <legend>{T.conditions}</legend>
      {isNew && (
        <>
          <Field label={T.id} problem={problemOf(error, '/id')}>
            <input {...bind(fields, 'id')} pattern="[A-Za-z0-9][A-Za-z0-9_\-]{0,63}" placeholder={T.idHint} />
          </Field>
          <Select
            label={T.channel}
            value={draft.channel}
            of={['sms', 'email']}
            nameOf={(one) => COMMON_TEXTS.channels[one]}
            onChange={(channel) => onChange({ channel, providers: [] })}
          />
        </>
      )}
      <Field label={isMail ? T.domain : T.prefix} problem={problemOf(error, '/prefix')}>
        <input {...bind(fields, 'prefix')} placeholder={isMail ? 'example.com' : '+55'} spellCheck={false} />
      </Field>
      <Field label={T.sender} problem={problemOf(error, '/sender')}>
        <input {...bind(fields, 'sender')} placeholder={COMMON_TEXTS.any} spellCheck={false} />
      </Field>
      {!isMail && (
        <Select
          label={T.kind}
          value={draft.kind}
          of={['', 'sms', 'flash_sms']}
          nameOf={(one) => (one === '' ? COMMON_TEXTS.any : ROUTES_TEXTS.kinds[one])}
          problem={problemOf(error, '/kind')}
          onChange={(kind) => onChange({ kind })}
        />
      )}
      <Field label={T.operator} problem={problemOf(error, '/operator_id')}>
        <input {...bind(fields, 'operator')} placeholder={T.operatorHint} spellCheck={false} />
      </Field>
    </fieldset>
  )
}

export function FailureFields(fields: FieldsProps) {
  const { draft, error, onChange } = fields
  return (
    <fieldset className="fields two">
      <legend>{T.failing}</legend>
      <label className="check all">
        <input
          type="checkbox"
          checked={draft.ownRetry}
          onChange={({ target }) => onChange({ ownRetry: target.checked })}
        />
        {T.ownRetry}
      </label>
      {draft.ownRetry && (
        <>
          <Field label={T.attempts} problem={problemOf(error, '/retry/max_attempts')}>
            <input {...bind(fields, 'attempts')} type="number" min={1} max={100} required />
          </Field>
          <Field label={T.jitter} problem={problemOf(error, '/retry/jitter')}>
            <input {...bind(fields, 'jitter')} type="number" min={0} max={100} step="any" required />
          </Field>
          <Field label={T.waits} className="all" problem={problemOf(error, '/retry/delays_seconds')}>
            <input {...bind(fields, 'waits')} required pattern="[\d.]+([\s,;]+[\d.]+)*" />
          </Field>
          <label className="check all">
            <input
              type="checkbox"
              checked={draft.failover}
              onChange={({ target }) => onChange({ failover: target.checked })}
            />
            {T.failover}
          </label>
        </>
      )}
      <Select
        label={T.unknownPolicy}
        value={draft.unknownPolicy}
        of={['', 'hold', 'resend', 'failover']}
        nameOf={(one) => (one === '' ? T.byLane : ROUTES_TEXTS.policies[one])}
        onChange={(unknownPolicy) => onChange({ unknownPolicy })}
      />
      <Field label={T.unknownWait} problem={problemOf(error, '/unknown/wait_seconds')}>
        <input {...bind(fields, 'unknownWait')} type="number" min={0} max={86_400} step="any" placeholder="5" />
      </Field>
      <Field label={T.giveUp} problem={problemOf(error, '/unknown/give_up_seconds')}>
        <input {...bind(fields, 'giveUp')} type="number" min={60} max={2_592_000} placeholder="259200" />
      </Field>
    </fieldset>
  )
}
