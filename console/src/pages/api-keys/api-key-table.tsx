/** The table of API keys. */
import { hasScope, useSession } from '../../api/session.ts'
import { API_KEYS_TEXTS } from '../../texts/api-keys.ts'
import { COMMON_TEXTS } from '../../texts/common.ts'
import { Badge, Button } from '../../ui/parts.tsx'
import { RowActions, Table } from '../../ui/table.tsx'
import { Ago, Moment, toSpan } from '../../ui/time.tsx'
import { type ApiKey, MODE_TONES, STATUS_TONES } from './api-key.ts'

const T = API_KEYS_TEXTS
const COLUMNS = Object.values(T.columns)

type Act = (key: ApiKey) => void
type TableProps = Readonly<{ keys: readonly ApiKey[]; onRotate: Act; onRevoke: Act }>

export const ApiKeyTable = ({ keys, onRotate, onRevoke }: TableProps) => (
  <Table className="api-keys" columns={COLUMNS} actions={T.actions}>
    {keys.map((key) => (
      <tr key={key.id}>
        <td className="row-title">
          <div>
            {key.name}
            <code className="soft">{key.prefix}</code>
          </div>
        </td>
        <td data-label={T.columns.status}>
          <div className="row tags">
            <Badge tone={STATUS_TONES[key.status]}>{T.statuses[key.status]}</Badge>
            <Badge tone={MODE_TONES[key.mode]}>{T.modes[key.mode]}</Badge>
          </div>
        </td>
        <td data-label={T.columns.scopes}>
          <div className="row tags">
            {key.scopes.map((scope) => (
              <code key={scope} className="tag">
                {scope}
              </code>
            ))}
          </div>
        </td>
        <td data-label={T.columns.account}>{key.account_id}</td>
        <td data-label={T.columns.networks}>
          {key.networks === null ? <span className="soft">{COMMON_TEXTS.any}</span> : <Networks of={key.networks} />}
        </td>
        <td data-label={T.columns.lastUsed}>
          {key.last_used_at === null ? <span className="soft">{T.never}</span> : <Ago at={key.last_used_at} />}
        </td>
        <td data-label={T.columns.expires}>
          <End apiKey={key} />
        </td>
        <RowActions>
          {key.status === 'active' && <Actions apiKey={key} onRotate={onRotate} onRevoke={onRevoke} />}
        </RowActions>
      </tr>
    ))}
  </Table>
)

const Networks = ({ of: networks }: Readonly<{ of: readonly string[] }>) => (
  <ul className="plain-list nums">
    {networks.map((network) => (
      <li key={network}>{network}</li>
    ))}
  </ul>
)

/** When it expires or has ended. */
function End({ apiKey: { expires_at: expiresAt, revoked_at: revokedAt } }: Readonly<{ apiKey: ApiKey }>) {
  if (revokedAt !== null) {
    return (
      <>
        {T.revokedAt} <Ago at={revokedAt} />
      </>
    )
  }
  if (expiresAt === null) return <span className="soft">{T.never}</span>
  const leftMs = Date.parse(expiresAt) - Date.now()
  return leftMs <= 0 ? <Ago at={expiresAt} /> : <Moment at={expiresAt}>{T.inSpan(toSpan(leftMs))}</Moment>
}

type ActionsProps = Readonly<{ apiKey: ApiKey; onRotate: Act; onRevoke: Act }>

/** Nobody can issue a key that permits more than they may do themselves. */
function Actions({ apiKey, onRotate, onRevoke }: ActionsProps) {
  const session = useSession()
  return (
    <>
      {apiKey.scopes.every((scope) => hasScope(session, scope)) && (
        <Button aria-label={T.rotateOne(apiKey.name)} onClick={() => onRotate(apiKey)}>
          {T.rotate}
        </Button>
      )}
      <Button kind="danger" aria-label={T.revokeOne(apiKey.name)} onClick={() => onRevoke(apiKey)}>
        {T.revoke}
      </Button>
    </>
  )
}
