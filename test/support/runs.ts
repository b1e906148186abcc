/** How often something is tried that takes long: a few times in `npm test`, many times in `npm run test:long`. */
export const runs = (few: number, many: number): number => (process.env['POMBO_TEST_LONG'] === undefined ? few : many)
