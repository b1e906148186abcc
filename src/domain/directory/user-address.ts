import type { Brand } from '../../lib/brand.ts'

/** Stands for a user of whom no address is known, `user:101`. Only the simulator can reach one. */
export type UserAddress = Brand<string, 'UserAddress'>

export const toUserAddress = (userId: number): UserAddress => `user:${userId}` as UserAddress

/** The user it stands for, `101`. */
export const userOf = (to: UserAddress): string => to.slice('user:'.length)

export const isUserAddress = (to: string): to is UserAddress => to.startsWith('user:')
