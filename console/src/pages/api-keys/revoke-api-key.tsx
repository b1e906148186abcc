/** Confirms that an API key is revoked. */
import { api, unwrap } from '../../api/client.ts'
import { API_KEYS_TEXTS } from '../../texts/api-keys.ts'
import { ConfirmRemoval } from '../../ui/confirm.tsx'
import { API_KEYS, type ApiKey } from './api-key.ts'

const T = API_KEYS_TEXTS

type RevokeProps = Readonly<{ apiKey: ApiKey; onClose: () => void }>

export const RevokeApiKey = ({ apiKey: { id, name, prefix }, onClose }: RevokeProps) => (
  <ConfirmRemoval
    title={T.revokeTitle(name)}
    action={T.revokeAction}
    remove={() => unwrap(api.DELETE('/v1/api-keys/{id}', { params: { path: { id } } }))}
    done={T.revoked(name)}
    queryKey={API_KEYS}
    onClose={onClose}
  >
    <p>
      {T.revokeAbout} <code>{prefix}</code>
    </p>
  </ConfirmRemoval>
)
