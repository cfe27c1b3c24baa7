/* Runs before each window test: the real stylesheet, so that contrast and layout are the ones people get. */
import "@/styles/main.css";
