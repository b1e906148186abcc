/** The previews of a template in all its locales, side by side, with the same data. */
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { TEMPLATES_TEXTS } from '../../texts/templates.ts'
import { Card, Failure, Loading, PageHead } from '../../ui/parts.tsx'
import { DataField, useSample } from './data-field.tsx'
import { Previewed } from './preview-pane.tsx'
import type { Data } from './sample-data.ts'
import { type Draft, fetchLocales, type Template, toAddress, toDraft } from './template.ts'
import { type Flaw, type Preview, usePreview } from './use-preview.ts'

const T = TEMPLATES_TEXTS

export function AllLocales({ name }: Readonly<{ name: string }>) {
  const { data, error } = useQuery({ queryKey: ['templates', name], queryFn: () => fetchLocales(name) })
  return (
    <>
      <Link href={toAddress(name)}>{T.edit}</Link>
      <PageHead title={name} about={T.allLocalesAbout} />
      {error !== null && <Failure error={error} />}
      {error === null && data === undefined && <Loading />}
      {data !== undefined && <SideBySide templates={data} />}
    </>
  )
}

function SideBySide({ templates }: Readonly<{ templates: readonly Template[] }>) {
  const drafts = templates.map(toDraft)
  const source = drafts.map(({ subject, html, text }) => `${subject}\n${html}\n${text}`).join('\n')
  const [sample, setSample] = useSample(source)
  return (
    <div className="stack">
      <DataField sample={sample} flaws={NO_FLAWS} source={source} onChange={setSample} />
      <div className="locale-previews">
        {drafts.map((draft) => (
          <LocalePreview key={draft.locale} draft={draft} data={sample.data} />
        ))}
      </div>
    </div>
  )
}

const NO_FLAWS: readonly Flaw[] = []

function LocalePreview({ draft, data }: Readonly<{ draft: Draft; data: Data | undefined }>) {
  const preview = usePreview(draft, data)
  return (
    <Card title={<Link href={toAddress(draft.name, draft.locale)}>{draft.locale}</Link>}>
      <Missing preview={preview} />
      <Previewed draft={draft} preview={preview} onPlain={undefined} />
    </Card>
  )
}

/** What this locale needs and the data lacks. */
const Missing = ({ preview: { flaws } }: Readonly<{ preview: Preview }>) =>
  flaws.length > 0 && (
    <ul className="code-flaws">
      {flaws.map(({ path, message }) => (
        <li key={path}>
          <code>{path.split('/').slice(2).join('.')}</code> {message}
        </li>
      ))}
    </ul>
  )
