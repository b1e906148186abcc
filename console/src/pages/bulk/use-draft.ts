/** What is chosen for a file. The mapping is guessed again when the channel or the template changes. */
import { useMemo, useState } from 'react'
import { hasScope, useSession } from '../../api/session.ts'
import type { ChosenTemplate } from '../send/draft.ts'
import { fieldsOf } from '../send/template-values.ts'
import { type Channel, type Form, guessMapping, type Mapping } from './mapping.ts'
import type { ReadFile } from './read-file.ts'
import type { Plan } from './rows.ts'

export type BulkDraft = Readonly<{
  channel: Channel
  template: ChosenTemplate | undefined
  mapping: Mapping
  sender: string
  tag: string
  name: string
}>

export type ChangeBulk = (changes: Partial<BulkDraft>) => void

export function useDraft(file: ReadFile): Readonly<{ draft: BulkDraft; change: ChangeBulk; plan: Plan }> {
  const session = useSession()
  const [draft, setDraft] = useState<BulkDraft>(() => {
    const isMail =
      !hasScope(session, 'sms:send') || file.records[0]?.cells.some((cell) => /^\S+@\S+$/.test(cell.trim()))
    const channel = isMail === true && hasScope(session, 'email:send') ? 'email' : 'sms'
    const mapping = guessMapping(file.header, toForm(channel, undefined))
    return { channel, template: undefined, mapping, sender: '', tag: '', name: '' }
  })
  const { channel, template, mapping, sender, tag } = draft
  const plan = useMemo(
    () => ({ header: file.header, mapping, form: toForm(channel, template), common: { sender, tag } }),
    [file, mapping, channel, template, sender, tag],
  )
  const change: ChangeBulk = (changes) =>
    setDraft((before) => {
      const next = { ...before, ...changes }
      if (next.channel !== before.channel) return withGuess(file, { ...next, template: undefined })
      return next.template === before.template ? next : withGuess(file, next)
    })
  return { draft, change, plan }
}

const withGuess = (file: ReadFile, draft: BulkDraft): BulkDraft => ({
  ...draft,
  mapping: guessMapping(file.header, toForm(draft.channel, draft.template)),
})

const toForm = (channel: Channel, template: ChosenTemplate | undefined): Form => ({
  channel,
  template: template && { name: template.name, locale: template.locale, fields: fieldsOf(template.source) },
})
