/** Confirms the removal of a suppression. */
import { api, unwrap } from '../../api/client.ts'
import { SUPPRESSIONS_TEXTS } from '../../texts/suppressions.ts'
import { ConfirmRemoval } from '../../ui/confirm.tsx'
import type { Suppression } from './suppression.ts'

const T = SUPPRESSIONS_TEXTS

type RemoveProps = Readonly<{ suppression: Suppression; onClose: () => void }>

export const RemoveSuppression = ({ suppression: { address, reason }, onClose }: RemoveProps) => (
  <ConfirmRemoval
    title={T.removeTitle}
    remove={() => unwrap(api.DELETE('/v1/suppressions/{address}', { params: { path: { address } } }))}
    done={T.removed(address)}
    queryKey={['suppressions']}
    onClose={onClose}
  >
    <div className="stack">
      <p>
        <code>{address}</code>
      </p>
      {reason === 'complaint' && <p className="note bad">{T.removeComplaint}</p>}
      <p>{T.removeAbout}</p>
    </div>
  </ConfirmRemoval>
)
