/** Confirms the removal of a template, in one locale or all. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { api, unwrap } from '../../api/client.ts'
import { TEMPLATES_TEXTS } from '../../texts/templates.ts'
import { ConfirmRemoval } from '../../ui/confirm.tsx'
import { Select } from '../../ui/select.tsx'
import type { TemplateSummary } from './template.ts'

const T = TEMPLATES_TEXTS

type RemoveProps = Readonly<{
  template: Pick<TemplateSummary, 'name' | 'locale'>
  locales: readonly TemplateSummary[]
  onClose: () => void
}>

export function RemoveTemplate({ template: { name, locale }, locales, onClose }: RemoveProps) {
  const [isOne, setOne] = useState(true)
  const queries = useQueryClient()
  const [, go] = useLocation()
  const query = isOne ? { locale } : {}
  const leave = (): void => {
    go('/templates')
    // Prevents a refetch of the removed template.
    queries.removeQueries({ queryKey: ['templates', name] })
  }
  return (
    <ConfirmRemoval
      title={T.removeTitle(name)}
      remove={() => unwrap(api.DELETE('/v1/templates/{name}', { params: { path: { name }, query } }))}
      done={T.removed(name)}
      queryKey={['templates']}
      onRemoved={leave}
      onClose={onClose}
    >
      <div className="stack">
        <p>{T.removeAbout}</p>
        {locales.length > 1 && (
          <Select
            label={T.removeWhat}
            value={isOne ? 'one' : 'all'}
            of={['one', 'all']}
            nameOf={(one) => (one === 'one' ? T.removeOne(locale) : T.removeAll)}
            onChange={(one) => setOne(one === 'one')}
          />
        )}
      </div>
    </ConfirmRemoval>
  )
}
