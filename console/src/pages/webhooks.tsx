/** Webhooks: the endpoints of this account, or the one that the address names. */
import '../styles/webhooks.css'
import { useParams } from '../ui/query-string.ts'
import { EndpointList } from './webhooks/endpoint-list.tsx'
import { EndpointPage } from './webhooks/endpoint-page.tsx'

export function Webhooks() {
  const [{ endpoint }] = useParams(['endpoint'])
  return endpoint === undefined ? <EndpointList /> : <EndpointPage key={endpoint} id={endpoint} />
}
