declare module "shoal-core" {
  const make: unknown;
  export default make;
}
