/** Templates: the list, or the editor of the template named in the URL. */
import '../styles/templates.css'
import { useParams } from '../ui/query-string.ts'
import { AllLocales } from './templates/all-locales.tsx'
import { TemplateList } from './templates/list.tsx'
import { NewTemplate } from './templates/new-template.tsx'
import { SavedTemplate } from './templates/saved-template.tsx'

export function Templates() {
  const [{ name, locale, version, new: newChannel, view }] = useParams(['name', 'locale', 'version', 'new', 'view'])
  if (newChannel !== undefined)
    return <NewTemplate key={`${name} ${newChannel}`} like={name} isMail={newChannel === 'email'} />
  if (name === undefined) return <TemplateList />
  if (view === 'locales') return <AllLocales name={name} />
  return <SavedTemplate name={name} locale={locale} version={version === undefined ? undefined : Number(version)} />
}
