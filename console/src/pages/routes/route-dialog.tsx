/** Adds or edits a route. */
import { useState } from 'react'
import { detailsOf } from '../../api/client.ts'
import { COMMON_TEXTS } from '../../texts/common.ts'
import { ROUTES_TEXTS } from '../../texts/routes.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { problemOf } from '../../ui/problems.tsx'
import { showToast } from '../../ui/toast.tsx'
import { type Route, useProviderNames, useSave } from './data.ts'
import { ProviderOrder } from './provider-order.tsx'
import { type Draft, EMPTY, toDraft, toPreview, toSave } from './route-draft.ts'
import { ConditionFields, FailureFields } from './route-fields.tsx'
import { conditionsOf, providersOf } from './route-text.ts'

const T = ROUTES_TEXTS.form

type DialogProps = Readonly<{ route: Route | undefined; onClose: () => void }>

export function RouteDialog({ route, onClose }: DialogProps) {
  const [draft, setDraft] = useState<Draft>(route === undefined ? EMPTY : toDraft(route))
  const names = useProviderNames(draft.channel)
  const { mutate, error, isPending } = useSave((id) => {
    showToast(T.saved(id))
    onClose()
  })
  const change = (changes: Partial<Draft>): void => setDraft({ ...draft, ...changes })
  return (
    <FormDialog
      title={route === undefined ? T.add : T.change(route.id)}
      action={COMMON_TEXTS.save}
      error={error}
      fields={SHOWN}
      busy={isPending || draft.providers.length === 0}
      onSubmit={() => mutate(toSave(draft, route))}
      onClose={onClose}
    >
      <ConditionFields draft={draft} isNew={route === undefined} error={error} onChange={change} />
      <ProviderOrder draft={draft} names={names} problem={providersProblem(error)} onChange={change} />
      <FailureFields draft={draft} error={error} onChange={change} />
      <Preview draft={draft} />
    </FormDialog>
  )
}

/** The form shows errors of these fields next to them. */
const SHOWN = [
  '/id',
  '/prefix',
  '/sender',
  '/kind',
  '/operator_id',
  '/providers',
  '/unknown/wait_seconds',
  '/unknown/give_up_seconds',
]

const providersProblem = (error: unknown): string | undefined =>
  problemOf(error, '/providers') ?? detailsOf(error).find(({ path }) => path.startsWith('/providers/'))?.message

/** The route in plain words, updated while editing. */
function Preview({ draft }: Readonly<{ draft: Draft }>) {
  const route = toPreview(draft)
  const names = providersOf(route).map(({ name, share }) => (share === undefined ? name : `${name} ${share}`))
  return (
    <p className="note">
      <strong>{conditionsOf(route)}</strong>:{' '}
      {names.length === 0 ? T.noProviders : names.join(draft.weighted ? ', ' : T.afterwards)}.
    </p>
  )
}
