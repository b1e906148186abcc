/** Templates: the list, or the editor of the template named in the URL. */
import '../styles/templates.css'
import { useParams } from '../ui/query-string.ts'
import { TemplateList } from './templates/list.tsx'
import { NewTemplate } from './templates/new-template.tsx'
import { SavedTemplate } from './templates/saved-template.tsx'

export function Templates() {
  const [{ name, locale, version, new: newChannel }] = useParams(['name', 'locale', 'version', 'new'])
  if (newChannel !== undefined)
    return <NewTemplate key={`${name} ${newChannel}`} like={name} isMail={newChannel === 'email'} />
  if (name === undefined) return <TemplateList />
  return <SavedTemplate name={name} locale={locale} version={version === undefined ? undefined : Number(version)} />
}
