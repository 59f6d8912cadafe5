export { createExpressions, type ExpressionsOptions } from "./create-expressions.ts";
