/** Templates: all of them, or the one that the address names, in an editor with a live preview. */
import '../styles/templates.css'
import { useParams } from '../ui/query-string.ts'
import { TemplateList } from './templates/list.tsx'
import { NewTemplate } from './templates/new-template.tsx'
import { SavedTemplate } from './templates/saved-template.tsx'

export function Templates() {
  const [{ name, locale, version, new: wanted }] = useParams(['name', 'locale', 'version', 'new'])
  if (wanted !== undefined) return <NewTemplate key={`${name} ${wanted}`} like={name} isMail={wanted === 'email'} />
  if (name === undefined) return <TemplateList />
  return <SavedTemplate name={name} locale={locale} version={version === undefined ? undefined : Number(version)} />
}
