/** Chooses a role, and says what it may do. */
import { USERS_TEXTS } from '../../texts/users.ts'
import { Select } from '../../ui/select.tsx'
import { type Role, rolesFor } from './user.ts'

const T = USERS_TEXTS

type RoleProps = Readonly<{
  value: Role
  mayOperate: boolean
  disabled?: boolean
  problem?: string | undefined
  onChange: (role: Role) => void
}>

export const RoleField = ({ value, mayOperate, disabled = false, problem, onChange }: RoleProps) => (
  <Select
    label={T.fields.role}
    value={value}
    of={rolesFor(mayOperate)}
    nameOf={(role) => T.roles[role]}
    about={disabled ? T.byProvider : T.roleAbout[value]}
    problem={problem}
    disabled={disabled}
    onChange={onChange}
  />
)
