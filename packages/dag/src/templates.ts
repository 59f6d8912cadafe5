/** Templates alone, for a thread that should load no more than it needs. */
export { evaluateTemplate, type TemplateAnswer } from "./template.ts";
