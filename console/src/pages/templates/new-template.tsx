/** Creates a template, or adds a locale to an existing one. */
import { useQuery } from '@tanstack/react-query'
import { COMMON_TEXTS } from '../../texts/common.ts'
import { TEMPLATES_TEXTS } from '../../texts/templates.ts'
import { Failure, Field, Loading } from '../../ui/parts.tsx'
import { Select } from '../../ui/select.tsx'
import { Editor } from './editor.tsx'
import { CHANNELS, type Draft, fetchTemplates, fetchVersion, type TemplateSummary, toDraft } from './template.ts'
import type { DraftState } from './use-draft.ts'
import type { Flaw } from './use-preview.ts'

const T = TEMPLATES_TEXTS
const EMPTY: Draft = { name: '', locale: '', channel: 'sms', text: '', subject: '', html: '' }

type NewProps = Readonly<{ like: string | undefined; isMail: boolean }>

export function NewTemplate({ like, isMail }: NewProps) {
  const { data, error } = useQuery({ queryKey: ['templates'], queryFn: fetchTemplates })
  const known = data?.find(({ name }) => name === like)
  const model = useQuery({
    queryKey: ['templates', known?.name, known?.locale, known?.version],
    queryFn: () => (known === undefined ? null : fetchVersion(known, known.version)),
    enabled: data !== undefined,
  })
  const failure = error ?? model.error
  if (failure !== null) return <Failure error={failure} />
  if (data === undefined || model.data === undefined) return <Loading />
  const base: Draft =
    model.data === null
      ? { ...EMPTY, name: like ?? '', channel: isMail ? 'email' : 'sms' }
      : { ...toDraft(model.data), locale: '' }
  return (
    <Editor
      draftKey={`new ${like ?? ''}`}
      base={base}
      title={known === undefined ? T.add : T.inLocale(known.name)}
      next={(draft) => (find(data, draft)?.version ?? 0) + 1}
      head={(writing, flaws) => <Identity all={data} writing={writing} flaws={flaws} isFixed={known !== undefined} />}
    />
  )
}

/** The saved template that this draft would update. */
const find = (all: readonly TemplateSummary[], { name, locale }: Draft): TemplateSummary | undefined =>
  all.find((one) => one.name === name && one.locale.toLowerCase() === (locale.toLowerCase() || 'en'))

type IdentityProps = Readonly<{
  all: readonly TemplateSummary[]
  writing: DraftState
  flaws: readonly Flaw[]
  isFixed: boolean
}>

function Identity({ all, writing: { draft, change }, flaws, isFixed }: IdentityProps) {
  const of = (path: string): string | undefined => flaws.find((flaw) => flaw.path === path)?.message
  const known = find(all, draft)
  const other = all.find(({ name, channel }) => name === draft.name && channel !== draft.channel)
  return (
    <>
      <div className="identity">
        <Field label={T.name} problem={of('/name')}>
          <input
            value={draft.name}
            readOnly={isFixed}
            placeholder={T.nameHint}
            onChange={(event) => change({ name: event.target.value })}
          />
        </Field>
        <Field label={T.locale} problem={of('/locale')}>
          <input
            value={draft.locale}
            placeholder={T.localeHint}
            onChange={(event) => change({ locale: event.target.value })}
          />
        </Field>
        <Select
          label={T.channel}
          value={draft.channel}
          of={CHANNELS}
          nameOf={(one) => COMMON_TEXTS.channels[one]}
          disabled={isFixed}
          onChange={(channel) => change({ channel })}
        />
      </div>
      {other !== undefined && <p className="note bad">{T.otherChannel(COMMON_TEXTS.channels[other.channel])}</p>}
      {known !== undefined && other === undefined && <p className="note">{T.exists(known.version + 1)}</p>}
    </>
  )
}
