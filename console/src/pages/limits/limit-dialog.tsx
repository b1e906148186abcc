/** Sets a limit, with a preview in plain words. */
import '../../styles/forms.css'
import { useState } from 'react'
import { COMMON_TEXTS } from '../../texts/common.ts'
import { LIMITS_TEXTS } from '../../texts/limits.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Field } from '../../ui/parts.tsx'
import { problemOf } from '../../ui/problems.tsx'
import { Select } from '../../ui/select.tsx'
import { showToast } from '../../ui/toast.tsx'
import { EACH, type Key, type Limit, type Rule, useSetLimit } from './data.ts'
import { KeyFields } from './key-fields.tsx'
import { ruleOf, toWindow, UNITS, type Unit, whoOf } from './limit-text.ts'

const T = LIMITS_TEXTS.form

type Draft = Readonly<{ most: string; count: string; unit: Unit; algorithm: Rule['algorithm'] }>
const EMPTY: Draft = { most: '100', count: '60', unit: 's', algorithm: 'sliding' }

function toDraft({ limit, window_seconds: seconds, algorithm }: Rule): Draft {
  const { count, unit } = toWindow(seconds)
  return { most: String(limit), count: String(count), unit, algorithm }
}

const toRule = ({ most, count, unit, algorithm }: Draft): Rule => ({
  limit: Number(most),
  window_seconds: Number(count) * UNITS[unit],
  algorithm,
})

type DialogProps = Readonly<{ limit: Limit | undefined; path: Key; onClose: () => void }>

/** Recipients are shown masked and have to be entered again in full. */
export const isMasked = ({ scope, key }: Key): boolean => scope === 'recipient' && key !== EACH

export function LimitDialog({ limit, path, onClose }: DialogProps) {
  const [key, setKey] = useState(path)
  const [draft, setDraft] = useState(limit === undefined ? EMPTY : toDraft(limit))
  const { mutate, error, isPending } = useSetLimit(() => {
    showToast(T.saved)
    onClose()
  })
  const asksKey = limit === undefined || isMasked(limit)
  const target = key.key === '' ? LIMITS_TEXTS.key.oneOf[key.scope] : whoOf(key)
  return (
    <FormDialog
      title={limit === undefined ? T.add : T.change(whoOf(limit))}
      action={COMMON_TEXTS.save}
      error={error}
      fields={['/key', '/limit', '/window_seconds']}
      busy={isPending}
      onSubmit={() => mutate({ path: { ...key, key: key.key.trim() }, rule: toRule(draft) })}
      onClose={onClose}
    >
      {limit !== undefined && asksKey && <p className="note">{T.masked(limit.key)}</p>}
      {asksKey && (
        <KeyFields
          value={key}
          fixedScope={limit !== undefined}
          allowEach={limit === undefined}
          problem={problemOf(error, '/key')}
          onChange={setKey}
        />
      )}
      <RuleFields draft={draft} error={error} onChange={(changes) => setDraft({ ...draft, ...changes })} />
      <p className="note">
        <strong>{T.sentence(ruleOf(toRule(draft)), target)}</strong> {T.meaning[draft.algorithm]} {T.resets}
      </p>
    </FormDialog>
  )
}

type RuleProps = Readonly<{ draft: Draft; error: unknown; onChange: (changes: Partial<Draft>) => void }>

const RuleFields = ({ draft, error, onChange }: RuleProps) => (
  <fieldset className="fields three">
    <legend className="visually-hidden">{T.rule}</legend>
    <Field label={T.most} problem={problemOf(error, '/limit')}>
      <input
        type="number"
        min={1}
        max={1_000_000_000}
        required
        value={draft.most}
        onChange={({ target }) => onChange({ most: target.value })}
      />
    </Field>
    <Field label={T.window} problem={problemOf(error, '/window_seconds')}>
      <input
        type="number"
        min={1}
        required
        value={draft.count}
        onChange={({ target }) => onChange({ count: target.value })}
      />
    </Field>
    <Select
      label={T.unit}
      value={draft.unit}
      of={Object.keys(UNITS) as Unit[]}
      nameOf={(one) => T.units[one]}
      onChange={(unit) => onChange({ unit })}
    />
    <Select
      label={T.algorithm}
      className="all"
      value={draft.algorithm}
      of={['sliding', 'fixed']}
      nameOf={(one) => T.algorithms[one]}
      onChange={(algorithm) => onChange({ algorithm })}
    />
  </fieldset>
)
