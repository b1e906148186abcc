/** Removing a template, in one locale or in all. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { api, take } from '../../api/client.ts'
import { TEXTS } from '../../texts.ts'
import { Confirm } from '../../ui/dialog.tsx'
import { Field } from '../../ui/parts.tsx'
import { tell, tellError } from '../../ui/toast.tsx'
import type { Template } from './template.ts'

const T = TEXTS.templates

type RemoveProps = Readonly<{ template: Template; locales: readonly Template[]; onClose: () => void }>

export function RemoveTemplate({ template: { name, locale }, locales, onClose }: RemoveProps) {
  const [isOne, setOne] = useState(true)
  const queries = useQueryClient()
  const [, go] = useLocation()
  const remove = useMutation({
    mutationFn: () =>
      take(api.DELETE('/v1/templates/{name}', { params: { path: { name }, query: isOne ? { locale } : {} } })),
    onSuccess: async () => {
      go('/templates')
      tell(T.removed(name))
      queries.removeQueries({ queryKey: ['templates', name] })
      await queries.invalidateQueries({ queryKey: ['templates'] })
    },
    onError: tellError,
  })
  return (
    <Confirm
      title={T.removeTitle(name)}
      action={TEXTS.common.remove}
      danger
      busy={remove.isPending}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      <div className="stack">
        <p>{T.removeAbout}</p>
        {locales.length > 1 && (
          <Field label={T.removeWhat}>
            <select value={isOne ? 'one' : 'all'} onChange={(event) => setOne(event.target.value === 'one')}>
              <option value="one">{T.removeOne(locale)}</option>
              <option value="all">{T.removeAll}</option>
            </select>
          </Field>
        )}
      </div>
    </Confirm>
  )
}
