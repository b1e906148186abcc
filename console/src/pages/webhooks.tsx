/** Webhooks: the list of endpoints, or the endpoint named in the URL. */
import '../styles/webhooks.css'
import { useParams } from '../ui/query-string.ts'
import { EndpointList } from './webhooks/endpoint-list.tsx'
import { EndpointPage } from './webhooks/endpoint-page.tsx'

export function Webhooks() {
  const [{ endpoint }] = useParams(['endpoint'])
  return endpoint === undefined ? <EndpointList /> : <EndpointPage key={endpoint} id={endpoint} />
}
