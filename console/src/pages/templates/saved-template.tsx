/** The editor of a saved template, with its locales and versions. */
import { useQuery } from '@tanstack/react-query'
import { type PropsWithChildren, useState } from 'react'
import { Link } from 'wouter'
import { isNotFound } from '../../api/client.ts'
import { hasScope, useSession } from '../../api/session.ts'
import { COMMON_TEXTS } from '../../texts/common.ts'
import { TEMPLATES_TEXTS } from '../../texts/templates.ts'
import { BackLink } from '../../ui/back-link.tsx'
import { Button, Card, Empty, Failure, Loading, PageHead } from '../../ui/parts.tsx'
import { Ago } from '../../ui/time.tsx'
import { toTemplateAddress } from '../send/draft.ts'
import { Editor } from './editor.tsx'
import { RemoveTemplate } from './remove-template.tsx'
import {
  fetchTemplates,
  fetchVersion,
  fetchVersions,
  type Template,
  type TemplateSummary,
  toAddress,
  toDraft,
} from './template.ts'
import { VersionChanges } from './version-changes.tsx'

const T = TEMPLATES_TEXTS

type SavedProps = Readonly<{ name: string; locale: string | undefined; version: number | undefined }>

export function SavedTemplate({ name, locale, version }: SavedProps) {
  const all = useQuery({ queryKey: ['templates'], queryFn: fetchTemplates })
  const locales = all.data?.filter((one) => one.name === name)
  const shown = locale ?? locales?.[0]?.locale ?? ''
  const versions = useQuery({
    queryKey: ['templates', name, shown],
    queryFn: () => fetchVersions({ name, locale: shown }),
    enabled: shown !== '',
  })
  const [newest] = versions.data ?? []
  const wanted = version ?? newest?.version ?? 0
  const template = useQuery({
    queryKey: ['templates', name, shown, wanted],
    queryFn: () => fetchVersion({ name, locale: shown }, wanted),
    enabled: wanted !== 0,
  })
  const error = all.error ?? versions.error ?? template.error
  if (isNotFound(error) || (locales !== undefined && shown === ''))
    return (
      <TemplateFrame name={name}>
        <Empty>{T.gone}</Empty>
      </TemplateFrame>
    )
  if (error !== null)
    return (
      <TemplateFrame name={name}>
        <Failure error={error} />
      </TemplateFrame>
    )
  if (locales === undefined || newest === undefined || template.data === undefined)
    return (
      <TemplateFrame name={name}>
        <Loading />
      </TemplateFrame>
    )
  const key = `${name} ${template.data.locale} ${template.data.version}`
  return (
    <TemplateEditor
      key={key}
      draftKey={key}
      template={template.data}
      newest={newest}
      locales={locales}
      versions={versions.data ?? []}
    />
  )
}

const TemplateFrame = ({ name, children }: PropsWithChildren<{ name: string }>) => (
  <>
    <BackLink href="/templates">{T.all}</BackLink>
    <PageHead title={name} />
    {children}
  </>
)

type OpenedProps = Readonly<{
  draftKey: string
  template: Template
  newest: TemplateSummary
  locales: readonly TemplateSummary[]
  versions: readonly TemplateSummary[]
}>

function TemplateEditor({ draftKey, template, newest, locales, versions }: OpenedProps) {
  const [isRemoving, setRemoving] = useState(false)
  const session = useSession()
  const next = newest.version + 1
  const head = (
    <>
      <Locales template={template} locales={locales} />
      {template.version !== newest.version && <p className="note">{T.old(template.version, next)}</p>}
    </>
  )
  return (
    <>
      <Editor
        draftKey={draftKey}
        base={toDraft(template)}
        title={template.name}
        next={() => next}
        isOld={template.version !== newest.version}
        head={() => head}
        aside={<Versions template={template} newest={newest} versions={versions} />}
        actions={
          <>
            {hasScope(session, `${template.channel}:send`) && (
              <Link href={toTemplateAddress(template)} className="button">
                {T.sendTest}
              </Link>
            )}
            <Button kind="danger" onClick={() => setRemoving(true)}>
              {T.remove}
            </Button>
          </>
        }
      />
      {isRemoving && <RemoveTemplate template={template} locales={locales} onClose={() => setRemoving(false)} />}
    </>
  )
}

function Locales({ template, locales }: Pick<OpenedProps, 'template' | 'locales'>) {
  const mayWrite = hasScope(useSession(), 'messages:write')
  return (
    <nav aria-label={T.locales} className="row locales">
      <span className="tag">{COMMON_TEXTS.channels[template.channel]}</span>
      {locales.map(({ locale }) => (
        <Link
          key={locale}
          href={toAddress(template.name, locale)}
          className="locale"
          aria-current={locale === template.locale ? 'page' : undefined}
        >
          {locale}
        </Link>
      ))}
      {locales.length > 1 && (
        <Link href={`${toAddress(template.name)}&view=locales`} className="locale">
          {T.allLocales}
        </Link>
      )}
      {mayWrite && (
        <Link href={`${toAddress(template.name)}&new=${template.channel}`} className="locale">
          {T.addLocale}
        </Link>
      )}
    </nav>
  )
}

function Versions({ template, newest, versions }: Pick<OpenedProps, 'template' | 'newest' | 'versions'>) {
  const [compared, setCompared] = useState<TemplateSummary>()
  return (
    <Card title={T.versions}>
      <ol className="versions">
        {versions.map((one) => (
          <li key={one.version}>
            <Link
              href={toAddress(one.name, one.locale, one.version === newest.version ? undefined : one.version)}
              aria-current={one.version === template.version ? 'page' : undefined}
            >
              {T.version(one.version)}
            </Link>
            {one.version === newest.version && <span className="tag">{T.newest}</span>}
            <span className="soft">
              <Ago at={one.created_at} />
            </span>
            {one.version > 1 && (
              <Button kind="plain" aria-label={T.changes.of(one.version)} onClick={() => setCompared(one)}>
                {T.changes.show}
              </Button>
            )}
          </li>
        ))}
      </ol>
      {compared !== undefined && (
        <VersionChanges versions={versions} shown={compared} onClose={() => setCompared(undefined)} />
      )}
    </Card>
  )
}
