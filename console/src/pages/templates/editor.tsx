/** The template editor with its live preview. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useLocation } from 'wouter'
import { detailsOf } from '../../api/client.ts'
import { hasScope, useSession } from '../../api/session.ts'
import { TEMPLATES_TEXTS } from '../../texts/templates.ts'
import { BackLink } from '../../ui/back-link.tsx'
import { useKeyDown } from '../../ui/keys.ts'
import { Badge, Button, Failure, PageHead } from '../../ui/parts.tsx'
import { showToast } from '../../ui/toast.tsx'
import { CodeField } from './code-field.tsx'
import { DataField, useSample } from './data-field.tsx'
import { PreviewPane } from './preview-pane.tsx'
import { type Draft, saveTemplate, toAddress } from './template.ts'
import { type DraftState, useDraft } from './use-draft.ts'
import { type Flaw, usePreview } from './use-preview.ts'

const T = TEMPLATES_TEXTS

type EditorProps = Readonly<{
  draftKey: string
  base: Draft
  title: string
  /** The version number that saving creates. */
  next: (draft: Draft) => number
  /** An old version can be saved without changes. */
  isOld?: boolean
  /** Rendered above the texts. */
  head: (writing: DraftState, flaws: readonly Flaw[]) => ReactNode
  aside?: ReactNode
  actions?: ReactNode
}>

export function Editor({ draftKey, base, title, next, isOld = false, head, aside, actions }: EditorProps) {
  const session = useSession()
  const mayWrite = hasScope(session, 'messages:write')
  const writing = useDraft(`${session?.tenantId} ${draftKey}`, base)
  const { draft, change } = writing
  const [sample, setSample] = useSample(toSource(draft))
  const preview = usePreview(draft, sample.data)
  const save = useSave(writing)
  const refused = detailsOf(save.error)
  const flaws = [...preview.flaws, ...refused]
  const canSave = draft.text !== '' && draft.name !== '' && (writing.isChanged || isOld)
  const submit = (): void => {
    if (mayWrite && canSave && !save.isPending) save.mutate(draft)
  }
  useSaveKey(submit)
  return (
    <>
      <BackLink href="/templates">{T.all}</BackLink>
      <PageHead
        title={title}
        actions={
          mayWrite && <Actions writing={writing} next={next(draft)} canSave={canSave} onSave={submit} more={actions} />
        }
      />
      {save.isError && refused.length === 0 && <Failure error={save.error} />}
      <div className="editor">
        <div className="stack">
          {head(writing, flaws)}
          <Texts draft={draft} flaws={flaws} readOnly={!mayWrite} onChange={change} />
          <DataField sample={sample} flaws={preview.flaws} source={toSource(draft)} onChange={setSample} />
        </div>
        <div className="stack editor-aside">
          <PreviewPane draft={draft} preview={preview} onPlain={mayWrite ? (text) => change({ text }) : undefined} />
          {aside}
        </div>
      </div>
    </>
  )
}

const toSource = ({ text, subject, html }: Draft): string => `${subject}\n${html}\n${text}`

/** Ctrl+S or Cmd+S. */
function useSaveKey(save: () => void): void {
  useKeyDown((event) => {
    if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    save()
  })
}

function useSave({ forget }: DraftState) {
  const queries = useQueryClient()
  const [, go] = useLocation()
  return useMutation({
    mutationFn: saveTemplate,
    onSuccess: async ({ name, locale, version }) => {
      forget()
      await queries.invalidateQueries({ queryKey: ['templates'] })
      go(toAddress(name, locale))
      showToast(T.saved(name, version))
    },
  })
}

type ActionsProps = Readonly<{
  writing: DraftState
  next: number
  canSave: boolean
  onSave: () => void
  more: ReactNode
}>

const Actions = ({ writing: { isChanged, discard }, next, canSave, onSave, more }: ActionsProps) => (
  <>
    {isChanged && <Badge tone="warn">{T.unsaved}</Badge>}
    {isChanged && <Button onClick={discard}>{T.discard}</Button>}
    {more}
    <Button kind="primary" title={T.saveKeys} disabled={!canSave} onClick={onSave}>
      {T.save(next)}
    </Button>
  </>
)

type TextsProps = Readonly<{
  draft: Draft
  flaws: readonly Flaw[]
  readOnly: boolean
  onChange: DraftState['change']
}>

function Texts({ draft, flaws, readOnly, onChange }: TextsProps) {
  const of = (path: string): readonly string[] => [
    ...new Set(flaws.filter((flaw) => flaw.path === path).map(({ message }) => message)),
  ]
  const isMail = draft.channel === 'email'
  const parts = [
    ...(isMail
      ? ([
          ['subject', T.fields.subject, true],
          ['html', T.fields.html, false],
        ] as const)
      : []),
    ['text', isMail ? T.textOfMail : T.fields.text, false],
  ] as const
  return parts.map(([part, label, isShort]) => (
    <CodeField
      key={part}
      label={label}
      value={draft[part]}
      isShort={isShort}
      readOnly={readOnly}
      flaws={of(`/${part}`)}
      onChange={(text) => onChange({ [part]: text })}
    />
  ))
}
