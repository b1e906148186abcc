/** The list of templates. */
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { hasScope, useSession } from '../../api/session.ts'
import { COMMON_TEXTS } from '../../texts/common.ts'
import { PAGES_TEXTS } from '../../texts/pages.ts'
import { TEMPLATES_TEXTS } from '../../texts/templates.ts'
import { ChoiceField } from '../../ui/choices.tsx'
import { Items } from '../../ui/items.tsx'
import { Empty, PageHead } from '../../ui/parts.tsx'
import { useParams } from '../../ui/query-string.ts'
import { SearchField } from '../../ui/search-field.tsx'
import { Table } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { CHANNELS, fetchTemplates, type TemplateSummary, toAddress } from './template.ts'

const T = TEMPLATES_TEXTS

export function TemplateList() {
  const mayWrite = hasScope(useSession(), 'messages:write')
  const { data, error } = useQuery({ queryKey: ['templates'], queryFn: fetchTemplates })
  const add = mayWrite && (
    <Link className="button primary" href="/templates?new=sms">
      {T.add}
    </Link>
  )
  return (
    <>
      <PageHead title={PAGES_TEXTS.templates} about={T.about} actions={add} />
      <Items of={data} error={error} empty={<Empty>{T.none}</Empty>}>
        {(templates) => <Filtered templates={templates} />}
      </Items>
    </>
  )
}

function Filtered({ templates }: Readonly<{ templates: readonly TemplateSummary[] }>) {
  const [{ q, channel }, change] = useParams(['q', 'channel'])
  const words = (q ?? '').toLowerCase()
  const found = templates.filter(
    (template) =>
      (channel === undefined || template.channel === channel) &&
      `${template.name} ${template.locale} ${template.excerpt}`.toLowerCase().includes(words),
  )
  return (
    <>
      <div className="filters">
        <SearchField value={q} placeholder={T.find} onChange={(text) => change({ q: text }, 'replace')} />
        <ChoiceField
          label={T.channel}
          value={CHANNELS.find((one) => one === channel)}
          choices={CHANNELS}
          nameOf={(one) => COMMON_TEXTS.channels[one]}
          onChange={(next) => change({ channel: next })}
        />
      </div>
      {found.length === 0 ? <Empty>{T.noneFound}</Empty> : <TemplateTable templates={found} />}
    </>
  )
}

const TemplateTable = ({ templates }: Readonly<{ templates: readonly TemplateSummary[] }>) => (
  <Table className="template-table" columns={Object.values(T.table)}>
    {templates.map((template) => (
      <TemplateRow key={`${template.name} ${template.locale}`} template={template} />
    ))}
  </Table>
)

const TemplateRow = ({ template }: Readonly<{ template: TemplateSummary }>) => (
  <tr>
    <td className="row-title">
      <Link href={toAddress(template.name, template.locale)}>
        {template.name}
        <span className="visually-hidden"> {template.locale}</span>
      </Link>
    </td>
    <td data-label={T.table.locale}>{template.locale}</td>
    <td data-label={T.table.channel}>{COMMON_TEXTS.channels[template.channel]}</td>
    <td data-label={T.table.version} className="nums">
      {template.version}
    </td>
    <td data-label={T.table.text}>
      <span className="template-excerpt">{template.excerpt}</span>
    </td>
    <td data-label={T.table.saved}>
      <Ago at={template.created_at} />
    </td>
  </tr>
)
