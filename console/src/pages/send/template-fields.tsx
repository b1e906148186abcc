/** Chooses a template, and fills in its fields. */
import { useMutation } from '@tanstack/react-query'
import { useEffect } from 'react'
import { SEND_TEXTS } from '../../texts/send.ts'
import { Field } from '../../ui/parts.tsx'
import { useParams } from '../../ui/query-string.ts'
import { OptionalSelect } from '../../ui/select.tsx'
import { showErrorToast } from '../../ui/toast.tsx'
import type { TemplateSummary } from '../templates/template.ts'
import { type Channel, keyOf, templateOf } from './draft.ts'
import { problemUnder } from './problems.tsx'
import { SegmentLine } from './segment-line.tsx'
import type { FieldsProps } from './send-form.tsx'
import { fieldsOf, samplesOf } from './template-values.ts'
import { chooseTemplate, useRendered, useTemplates } from './templates.ts'

const T = SEND_TEXTS

export function TemplateChoice({ draft, change, channel }: FieldsProps & Readonly<{ channel: Channel }>) {
  const templates = useTemplates(channel)
  const choose = useMutation({
    mutationFn: chooseTemplate,
    onSuccess: (template) => change({ template, values: samplesOf(template.source) }),
    onError: showErrorToast,
  })
  useLinked(templates, choose.mutate)
  const chosen = templateOf(draft)
  if (templates === undefined || (templates.length === 0 && chosen === undefined)) return null
  const onChange = (key: string | undefined): void => {
    const found = templates.find((one) => keyOf(one) === key)
    if (found === undefined) change({ template: undefined, values: {} })
    else choose.mutate(found)
  }
  return (
    <OptionalSelect
      label={T.content}
      value={chosen === undefined ? undefined : keyOf(chosen)}
      of={templates.map(keyOf)}
      none={T.ownText}
      onChange={onChange}
      {...(chosen === undefined ? {} : { about: T.templateAbout })}
    />
  )
}

/** Chooses the template that a link names, once. */
function useLinked(
  templates: readonly TemplateSummary[] | undefined,
  choose: (template: TemplateSummary) => void,
): void {
  const [{ template: key }, change] = useParams(['template'])
  useEffect(() => {
    if (key === undefined || templates === undefined) return
    const found = templates.find((one) => keyOf(one) === key)
    if (found !== undefined) choose(found)
    change({ template: undefined }, 'replace')
  }, [key, templates, choose, change])
}

export function TemplateFields({ draft, error, change }: FieldsProps) {
  const template = templateOf(draft)
  const { data } = useRendered(template, draft.values)
  if (template === undefined) return null
  return (
    <>
      {fieldsOf(template.source).map(({ name, isJson }) => {
        const field = {
          value: draft.values[name] ?? '',
          onChange: (event: { target: { value: string } }) =>
            change({ values: { ...draft.values, [name]: event.target.value } }),
        }
        return (
          <Field
            key={name}
            label={isJson ? T.json(name) : name}
            problem={problemUnder(error, `/template/data/${name}`)}
          >
            {isJson ? (
              <textarea className="mono" spellCheck={false} {...field} />
            ) : (
              <input autoComplete="off" {...field} />
            )}
          </Field>
        )
      })}
      {problemUnder(error, '/template') !== undefined && problemUnder(error, '/template/data') === undefined && (
        <p className="note bad" role="alert">
          {problemUnder(error, '/template')}
        </p>
      )}
      {draft.kind === 'sms' && data !== undefined && <SegmentLine text={data.text} />}
    </>
  )
}
