//! What is known of programs, as data: one table feeds the risk verdicts and the Teacher's explanations.
