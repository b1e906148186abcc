import type { Brand } from '../../lib/brand.ts'

/** The address of a user without a known phone number, `user:101`. Only the simulator can reach it. */
export type UserAddress = Brand<string, 'UserAddress'>

export const toUserAddress = (userId: number): UserAddress => `user:${userId}` as UserAddress

/** The user's id, `101`. */
export const userOf = (to: UserAddress): string => to.slice('user:'.length)

export const isUserAddress = (to: string): to is UserAddress => to.startsWith('user:')
