/** All templates by name and locale, with what is sent now. */
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { may, useSession } from '../../api/session.ts'
import { TEXTS } from '../../texts.ts'
import { Empty, Failure, Field, Loading, PageHead } from '../../ui/parts.tsx'
import { useParams } from '../../ui/query-string.ts'
import { SearchField } from '../../ui/search-field.tsx'
import { Ago } from '../../ui/time.tsx'
import { fetchTemplates, type Template, toAddress } from './template.ts'

const T = TEXTS.templates

export function TemplateList() {
  const mayWrite = may(useSession(), 'messages:write')
  const { data, error } = useQuery({ queryKey: ['templates'], queryFn: fetchTemplates })
  const add = mayWrite && (
    <Link className="button primary" href="/templates?new=sms">
      {T.add}
    </Link>
  )
  return (
    <>
      <PageHead title={TEXTS.pages.templates} about={T.about} actions={add} />
      {error !== null && <Failure error={error} />}
      {data === undefined && error === null && <Loading />}
      {data?.length === 0 && <Empty>{T.none}</Empty>}
      {data !== undefined && data.length > 0 && <Filtered templates={data} />}
    </>
  )
}

function Filtered({ templates }: Readonly<{ templates: readonly Template[] }>) {
  const [{ q, channel }, change] = useParams(['q', 'channel'])
  const words = (q ?? '').toLowerCase()
  const found = templates.filter(
    (template) =>
      (channel === undefined || template.channel === channel) &&
      `${template.name} ${template.locale} ${template.text} ${template.subject ?? ''}`.toLowerCase().includes(words),
  )
  return (
    <>
      <div className="filters">
        <SearchField value={q} placeholder={T.find} onChange={(text) => change({ q: text })} />
        <Field label={T.channel}>
          <select value={channel ?? ''} onChange={(event) => change({ channel: event.target.value })}>
            <option value="">{TEXTS.common.any}</option>
            <option value="sms">{T.channels.sms}</option>
            <option value="email">{T.channels.email}</option>
          </select>
        </Field>
      </div>
      {found.length === 0 ? <Empty>{T.noneFound}</Empty> : <TemplateTable templates={found} />}
    </>
  )
}

const TemplateTable = ({ templates }: Readonly<{ templates: readonly Template[] }>) => (
  <div className="table-wrap">
    <table className="table stacked template-table">
      <thead>
        <tr>
          {Object.entries(T.table).map(([key, name]) => (
            <th key={key} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {templates.map((template) => (
          <TemplateRow key={`${template.name} ${template.locale}`} template={template} />
        ))}
      </tbody>
    </table>
  </div>
)

const TemplateRow = ({ template }: Readonly<{ template: Template }>) => (
  <tr>
    <td className="row-title">
      <Link href={toAddress(template.name, template.locale)}>
        {template.name}
        <span className="visually-hidden"> {template.locale}</span>
      </Link>
    </td>
    <td data-label={T.table.locale}>{template.locale}</td>
    <td data-label={T.table.channel}>{T.channels[template.channel]}</td>
    <td data-label={T.table.version} className="nums">
      {template.version}
    </td>
    <td data-label={T.table.text}>
      <span className="template-excerpt">{template.subject ?? template.text}</span>
    </td>
    <td data-label={T.table.saved}>
      <Ago at={template.created_at} />
    </td>
  </tr>
)
