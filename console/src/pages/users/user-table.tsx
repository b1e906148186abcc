/** The table of users. */
import { COMMON_TEXTS } from '../../texts/common.ts'
import { USERS_TEXTS } from '../../texts/users.ts'
import { Badge, Button } from '../../ui/parts.tsx'
import { RowActions, Table } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { STATE_TONES, type User } from './user.ts'

const T = USERS_TEXTS
const COLUMNS = Object.values(T.columns)

type Act = (user: User) => void
type TableProps = Readonly<{
  users: readonly User[]
  /** The id of whoever looks at it. */
  self: string | undefined
  mayOperate: boolean
  onChange: Act
  onInvite: Act
  onRemove: Act
}>

export const UserTable = ({ users, self, mayOperate, ...acts }: TableProps) => (
  <Table columns={COLUMNS} actions={T.actions}>
    {users.map((user) => (
      <tr key={user.id}>
        <td className="row-title">
          {user.email} {user.id === self && T.you}
          {user.name !== null && <span className="soft">{user.name}</span>}
        </td>
        <td data-label={T.columns.role}>{T.roles[user.role]}</td>
        <td data-label={T.columns.state}>
          <Badge tone={STATE_TONES[user.state]}>{T.states[user.state]}</Badge>
        </td>
        <td data-label={T.columns.lastSignIn}>
          {user.last_sign_in_at === null ? <span className="soft">{T.never}</span> : <Ago at={user.last_sign_in_at} />}
        </td>
        <RowActions>{(mayOperate || user.role !== 'operator') && <Actions user={user} {...acts} />}</RowActions>
      </tr>
    ))}
  </Table>
)

type ActionsProps = Readonly<{ user: User; onChange: Act; onInvite: Act; onRemove: Act }>

const Actions = ({ user, onChange, onInvite, onRemove }: ActionsProps) => (
  <>
    {user.sign_in === 'password' && user.state !== 'disabled' && (
      <Button aria-label={T.againWho(user.email)} onClick={() => onInvite(user)}>
        {T.again}
      </Button>
    )}
    <Button aria-label={T.changeWho(user.email)} onClick={() => onChange(user)}>
      {COMMON_TEXTS.edit}
    </Button>
    <Button aria-label={T.removeWho(user.email)} onClick={() => onRemove(user)}>
      {COMMON_TEXTS.remove}
    </Button>
  </>
)
