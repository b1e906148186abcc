/** The hosts that are always this machine. */
export const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/

/** Whether nobody on the way can read or change what goes to this URL. */
export const isTrustworthyUrl = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || LOOPBACK.test(hostname)
