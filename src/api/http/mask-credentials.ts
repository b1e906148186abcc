/** Somebody may put an API key or a token where it does not belong, for example into the path: no problem repeats it. */
const API_KEY = /pk_(live|test)_\w+/g
/** A JWT begins with an object in base64url; what follows may have been cut off. */
const TOKEN = /eyJ[\w.-]{8,}/g

export const maskCredentials = (text: string): string => text.replace(API_KEY, 'pk_$1_…').replace(TOKEN, 'eyJ…')
