/** The systemd units that `pombo init` writes: the gateway, and a backup every night. */
import type { Answers } from './init-answers.ts'

/** Of one file. `program` is Node with its options and the main file. */
export type UnitParts = Pick<Answers, 'dir' | 'dataDir' | 'user'> & Readonly<{ program: readonly string[] }>

export const backupsOf = ({ dataDir }: Pick<Answers, 'dataDir'>): string => `${dataDir}-backups`

/** What neither the gateway nor a backup needs, whoever takes them over. */
const SANDBOX = `NoNewPrivileges=yes
CapabilityBoundingSet=
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
ProtectClock=yes
ProtectHostname=yes
PrivateMounts=yes
ProtectProc=invisible
ProcSubset=pid
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
RemoveIPC=yes
KeyringMode=private
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged
SystemCallErrorNumber=EPERM
UMask=0077
# A core dump would contain keys and messages.
LimitCORE=0
# V8 compiles JavaScript while it runs: it aborts at once where pages that were written must not be executed.
MemoryDenyWriteExecute=no`

const IN_STATE = /^\/var\/lib\/([\w.@+-]+)$/

/** systemd creates folders directly below /var/lib, and gives them to the user. */
function writable(folders: readonly string[]): string {
  const names = folders.map((folder) => IN_STATE.exec(folder)?.[1])
  return names.every((name) => name !== undefined)
    ? `StateDirectory=${names.join(' ')}\nStateDirectoryMode=0700`
    : `ReadWritePaths=${folders.join(' ')}`
}

export const gatewayUnit = ({ dir, dataDir, user, program }: UnitParts): string => `[Unit]
Description=Pombo, the gateway for SMS, email and one-time codes
Wants=network-online.target
After=network-online.target
StartLimitIntervalSec=0

[Service]
Type=notify
# The gateway sends its notifications with systemd-notify, a child of it.
NotifyAccess=all
WatchdogSec=60s
User=${user}
# systemd reads it as root, before it becomes the user.
EnvironmentFile=${dir}/pombo.env
Environment=NODE_ENV=production NODE_COMPILE_CACHE=/var/cache/pombo
WorkingDirectory=${dataDir}
ExecStart=${program.join(' ')} serve
# The first start of a new release may move all messages before it listens.
TimeoutStartSec=1h
# Longer than POMBO_SHUTDOWN_SECONDS, in which the gateway finishes what is in flight.
TimeoutStopSec=45s
KillMode=mixed
Restart=always
RestartSec=2s
# Wrong settings or damaged data: somebody must look.
RestartPreventExitStatus=78
LimitNOFILE=65536
# The log says which messages were erased. journald.conf bounds its size.
LogRateLimitIntervalSec=0

${writable([dataDir])}
CacheDirectory=pombo
CacheDirectoryMode=0700
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
${SANDBOX}

[Install]
WantedBy=multi-user.target
`

export const backupUnit = (parts: UnitParts): string => `[Unit]
Description=Backup of Pombo
After=pombo.service

[Service]
Type=oneshot
User=${parts.user}
EnvironmentFile=${parts.dir}/pombo.env
Environment=NODE_ENV=production
WorkingDirectory=${parts.dataDir}
ExecStart=/bin/sh -c 'exec ${parts.program.join(' ')} backup "${backupsOf(parts)}/pombo-$$(date -u +%%Y%%m%%dT%%H%%M%%SZ).db"'
# Deletes backups of two weeks ago and earlier, but only after a good one.
ExecStart=/usr/bin/find ${backupsOf(parts)} -maxdepth 1 -name pombo-*.db -mtime +13 -delete
Nice=10
IOSchedulingClass=idle

${writable([parts.dataDir, backupsOf(parts)])}
PrivateNetwork=yes
RestrictAddressFamilies=AF_UNIX
${SANDBOX}
`

export const BACKUP_TIMER = `[Unit]
Description=Backup of Pombo, every night

[Timer]
OnCalendar=*-*-* 03:30
RandomizedDelaySec=15min
# After a night in which the machine was off, when it starts.
Persistent=yes

[Install]
WantedBy=timers.target
`
